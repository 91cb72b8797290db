import { type FailureGroup, isDeliveryKey, type Receiver } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit, UsageError } from '../exit.js'
import { wholeNumber } from '../numbers.js'
import { type Column, printList } from '../print-list.js'
import { printResult } from '../print-result.js'
import { printable } from '../printable.js'
import { auditOptions, readAudit } from './audit.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { lastBy, nothingDone, orNothingDone } from './or-nothing-done.js'
import { cause, findGroup, resolveGroup, shortIds } from './resolve-id.js'

const columns = (short: (group: string) => string): readonly Column<FailureGroup>[] => [
  { title: 'CAUSE', text: ({ title, place }) => (place ? `${title}, at ${place}` : title), isProse: true },
  { title: 'COUNT', text: ({ count, isCapped }) => `${count}${isCapped ? '+' : ''}` },
  { title: 'STATE', text: ({ state }) => state },
  { title: 'GROUP', text: ({ group }) => short(group) },
  // The whole date and time would leave little room for the cause.
  { title: 'LAST SEEN', text: ({ lastSeenAt }) => `${lastSeenAt.slice(0, 16)}Z` },
  // The key of a delivery is too long for most terminals. `inbox quarantine` lists it.
  {
    title: 'EXAMPLE',
    text: ({ example, endpoint }) => (isDeliveryKey(example, endpoint) ? 'a delivery' : example),
    isExtra: true,
  },
]

/** Only the fingerprint if all groups belong to one endpoint. As short as possible. */
function shortGroups(groups: readonly FailureGroup[]): (group: string) => string {
  if (new Set(groups.map(({ endpoint }) => endpoint)).size > 1) {
    return (group) => group
  }
  const short = shortIds(
    groups.map(({ group }) => cause(group)),
    8,
  )
  // A code is not shortened, because it says more than a fingerprint.
  return (group) => (/^[0-9a-f]{24}$/.test(cause(group)) ? short(cause(group)) : cause(group))
}

/** The state that an option gives a group, and how. */
const marks = {
  acknowledge: ['acknowledged', 'acknowledgeGroup'],
  resolve: ['resolved', 'resolveGroup'],
  reopen: ['open', 'reopenGroup'],
} as const

/** Which state a group has now, and who gave it that state. */
async function stateNow(receiver: Receiver, group: string): Promise<string> {
  const state = (await findGroup(receiver, group))?.state ?? 'gone'
  const [last] = await receiver.audits({ subject: group, limit: 1 })
  return `${group} is ${state} now${lastBy(last)}`
}

export const failures = defineCommand({
  about:
    'Lists failed and dead events and quarantined deliveries as groups of one cause, last seen first. Or marks one group as known or as fixed, or opens it again. Who did it and why is kept.',
  options: {
    state: {
      type: 'string',
      value: 'STATE',
      choices: ['open', 'acknowledged', 'resolved'],
      help: 'Only groups in this state',
    },
    acknowledge: { type: 'string', value: 'GROUP', help: 'Mark this group, which is open, as known' },
    resolve: {
      type: 'string',
      value: 'GROUP',
      help: 'Mark this group as fixed; its next failure opens it again',
    },
    reopen: { type: 'string', value: 'GROUP', help: 'Open this group again, which was marked by mistake' },
    limit: { type: 'string', value: 'N', default: '50', help: 'How many at most' },
    'all-endpoints': { type: 'boolean', help: 'Groups of every endpoint of the store' },
    ...auditOptions,
    ...receiverOptions,
  },
  examples: [
    ['--receiver src/receiver.ts', 'Lists the causes of failures.'],
    ['--resolve 102c2c92 --reason "fixed in 1.4" --receiver src/receiver.ts', 'Marks a cause as fixed.'],
  ],

  async run({ values, json, print, world }) {
    const asked = (['acknowledge', 'resolve', 'reopen'] as const).filter((name) => values[name] !== undefined)
    if (asked.length > 1) {
      throw new UsageError('give only one of --acknowledge, --resolve and --reopen')
    }
    const [mark] = asked
    if (mark) {
      const audit = readAudit(values)
      const [state, method] = marks[mark]
      const { group, isChanged } = await withReceiver({ values, print, world }, async ({ receiver }) => {
        const id = await resolveGroup(receiver, values[mark] as string)
        const seen = await findGroup(receiver, id)
        if (seen?.state === state) {
          return { group: id, isChanged: false }
        }
        // Somebody fixed it since the operator looked. `--reopen` says that this was a mistake.
        if (mark === 'acknowledge' && seen?.state === 'resolved') {
          throw nothingDone(await stateNow(receiver, id))
        }
        await orNothingDone('group_changed', receiver[method](id, audit, { seen }), () =>
          stateNow(receiver, id),
        )
        return { group: id, isChanged: true }
      })
      const told = isChanged ? state : `was ${state} before`
      printResult({ group, state, isChanged }, `${printable(group)}  ${told}`, { print, json })
      return exit.good
    }
    const limit = wholeNumber('limit', values.limit, { min: 1 })
    const groups = await withReceiver({ values, print, world }, ({ receiver }) =>
      receiver.failures({
        limit,
        state: values.state as FailureGroup['state'] | undefined,
        // The events of a cause that was fixed are replayed, so most resolved groups hold nothing.
        empty: values.state !== undefined && values.state !== 'open',
        allEndpoints: values['all-endpoints'],
      }),
    )
    printList(groups, columns(shortGroups(groups)), { print, json, empty: 'Nothing has failed.' })
    if (groups.length === limit) {
      print.note(`There may be more: --limit ${limit} is reached.`)
    }
    return exit.good
  },
})
