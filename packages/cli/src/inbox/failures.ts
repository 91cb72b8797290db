import type { FailureGroup } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit, UsageError } from '../exit.js'
import { wholeNumber } from '../numbers.js'
import { type Column, printList } from '../print-list.js'
import { printable } from '../printable.js'
import { auditOptions, readAudit } from './audit.js'
import { receiverOptions, withReceiver } from './open-receiver.js'

const columns: readonly Column<FailureGroup>[] = [
  { title: 'LAST SEEN', text: ({ lastSeenAt }) => lastSeenAt },
  { title: 'STATE', text: ({ state }) => state },
  { title: 'COUNT', text: ({ count, isCapped }) => `${count}${isCapped ? '+' : ''}` },
  { title: 'GROUP', text: ({ group }) => group },
  { title: 'EXAMPLE', text: ({ example }) => example },
  { title: 'CAUSE', text: ({ title, place }) => (place ? `${title}, at ${place}` : title), isProse: true },
]

export const failures = defineCommand({
  about:
    'Lists failed, dead and quarantined events as groups of one cause, last seen first. Or marks one group as known or as fixed. Who did it and why is kept.',
  options: {
    state: {
      type: 'string',
      value: 'STATE',
      choices: ['open', 'acknowledged', 'resolved'],
      help: 'Only groups in this state',
    },
    acknowledge: { type: 'string', value: 'GROUP', help: 'Mark this group as known' },
    resolve: {
      type: 'string',
      value: 'GROUP',
      help: 'Mark this group as fixed; its next failure opens it again',
    },
    limit: { type: 'string', value: 'N', default: '50', help: 'How many at most' },
    'all-endpoints': { type: 'boolean', help: 'Groups of every endpoint of the store' },
    ...auditOptions,
    ...receiverOptions,
  },
  examples: [
    ['--receiver src/receiver.ts', 'Lists the causes of failures.'],
    [
      '--resolve payments:102c2c92c5904a4cafe49b03 --reason "fixed in 1.4" --receiver src/receiver.ts',
      'Marks a cause as fixed.',
    ],
  ],

  async run({ values, json, print, world }) {
    const { acknowledge, resolve } = values
    if (acknowledge !== undefined && resolve !== undefined) {
      throw new UsageError('give either --acknowledge or --resolve')
    }
    const group = acknowledge ?? resolve
    if (group !== undefined) {
      const audit = readAudit(values)
      await withReceiver({ values, print, world }, ({ receiver }) =>
        resolve === undefined ? receiver.acknowledgeGroup(group, audit) : receiver.resolveGroup(group, audit),
      )
      const state = resolve === undefined ? 'acknowledged' : 'resolved'
      if (json || !print.isTerminal) {
        print.json({ group, state })
      } else {
        print.line(`${printable(group)}  ${state}`)
      }
      return exit.good
    }
    const limit = wholeNumber('limit', values.limit, { min: 1 })
    const groups = await withReceiver({ values, print, world }, ({ receiver }) =>
      receiver.failures({
        limit,
        state: values.state as FailureGroup['state'] | undefined,
        allEndpoints: values['all-endpoints'],
      }),
    )
    printList(groups, columns, { print, json, empty: 'Nothing has failed.' })
    if (groups.length === limit) {
      print.note(`There may be more: --limit ${limit} is reached.`)
    }
    return exit.good
  },
})
