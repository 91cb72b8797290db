import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { durationSeconds, wholeNumber } from '../numbers.js'
import { plural } from '../plural.js'
import { printable } from '../printable.js'
import { nameTarget } from './flow-target.js'
import { receiverOptions, withReceiver } from './open-receiver.js'

export const health = defineCommand({
  about:
    'Counts the events of the whole store by state, and prints how long the oldest unprocessed event has waited. Exits with 1 if a limit is exceeded, so that a health check can use it. Prints text, and with --json all facts.',
  options: {
    'max-age': {
      type: 'string',
      value: 'DURATION',
      help: 'Exit with 1 if an event has waited longer than this, such as 5m',
    },
    'max-dead': { type: 'string', value: 'N', help: 'Exit with 1 if more events than this are dead' },
    'max-quarantined': {
      type: 'string',
      value: 'N',
      help: 'Exit with 1 if more deliveries than this are in quarantine',
    },
    ...receiverOptions,
  },
  examples: [
    ['--receiver src/receiver.ts', 'Prints the counts.'],
    ['--receiver src/receiver.ts --max-age 5m --max-dead 0 --max-quarantined 0', 'Fails a probe.'],
  ],

  async run({ values, json, print, world }) {
    const maxAge = values['max-age'] === undefined ? undefined : durationSeconds('max-age', values['max-age'])
    const most = (name: 'max-dead' | 'max-quarantined') =>
      values[name] === undefined ? Number.POSITIVE_INFINITY : wholeNumber(name, values[name])
    const [maxDead, maxQuarantined] = [most('max-dead'), most('max-quarantined')]
    const [state, paused] = await withReceiver({ values, print, world }, ({ receiver }) =>
      Promise.all([receiver.health(), receiver.paused({ allEndpoints: true })]),
    )
    const { counts, oldestUnprocessedSeconds: oldest } = state
    const problems = [
      maxAge !== undefined &&
        oldest > maxAge &&
        `an event waits for ${Math.round(oldest)} s, more than ${maxAge} s`,
      counts.dead > maxDead && `${plural(counts.dead, 'event is', 'events are')} dead, more than ${maxDead}`,
      counts.quarantined > maxQuarantined &&
        `${plural(counts.quarantined, 'delivery is', 'deliveries are')} in quarantine, more than ${maxQuarantined}`,
    ].filter((problem) => typeof problem === 'string')
    if (json) {
      print.json({ ...state, paused, problems })
    } else {
      for (const [name, count] of Object.entries(counts)) {
        print.line(`${name.padEnd(12)}${String(count).padStart(8)}`)
      }
      print.line(`oldest unprocessed event: ${Math.round(oldest)} s`)
      for (const pause of paused) {
        const who = `by ${pause.actor} since ${pause.pausedAt}: ${pause.reason}`
        print.line(printable(`paused: ${nameTarget(pause)} of ${pause.endpoint}, ${who}`))
      }
    }
    for (const problem of problems) {
      print.note(problem)
    }
    if (!json && counts.dead + counts.quarantined > 0) {
      print.note('`webhook-inbox inbox failures` lists why events are dead or deliveries are in quarantine.')
    }
    return problems.length === 0 ? exit.good : exit.negative
  },
})
