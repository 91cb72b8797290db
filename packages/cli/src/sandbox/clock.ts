import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { durationSeconds } from '../numbers.js'
import { connect, connectionOptions } from './connection.js'

export const clock = defineCommand({
  about:
    'Shows the sandbox’s clock, or advances it. Retries and settlements that become due then happen, and the command waits for them.',
  options: {
    advance: {
      type: 'string',
      value: 'DURATION',
      help: 'Advance the clock by this duration, such as 90s, 15m, 2h or 7d',
    },
    ...connectionOptions,
  },
  examples: [
    ['', 'Shows the time.'],
    ['--advance 2h', 'Two hours later.'],
  ],

  async run({ values, json, print, world }) {
    const connection = connect({ values, print, world })
    const { advance } = values
    const time =
      advance === undefined
        ? await connection.get<{ kind: string; now: string }>('clock')
        : await connection.send<{ kind: string; now: string }>('POST', 'clock', {
            advanceSeconds: durationSeconds('advance', advance),
          })
    if (json) {
      print.json(time)
    } else {
      print.line(`${time.now}  ${time.kind} clock`)
    }
    return exit.good
  },
})
