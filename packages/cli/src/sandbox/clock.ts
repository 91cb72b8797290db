import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { durationSeconds } from '../numbers.js'
import { connect, connectionOptions } from './connection.js'

export const clock = defineCommand({
  about:
    'Shows the sandbox’s clock, or moves it on: retries and late settlements that fall due then happen, and are awaited.',
  options: {
    advance: { type: 'string', value: 'DURATION', help: 'Move the clock on, by such as 90s, 15m, 2h or 7d' },
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
