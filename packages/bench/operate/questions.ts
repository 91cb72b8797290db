import type { Inbox, InboxPage } from 'webhook-inbox'
import { quantile } from '../harness/compare.js'
import { duration, table } from '../harness/table.js'

/** What the bench fills in: a tenth of the events is dead, and one type, one resource and one endpoint are rare. */
export const filled = {
  endpoint: 'default',
  rareEndpoint: 'rare',
  type: 'transfer.settled',
  rareType: 'transfer.reversed',
  resource: 'account_1',
  rareResource: 'account_7',
  group: 'default:0',
}

/** Every list of an operator, by name. */
export function lists(now: number): [name: string, query: InboxPage & { readonly endpoint?: string }][] {
  const { rareEndpoint, type, rareType, resource, rareResource, group } = filled
  return [
    ['all', {}],
    ['all, newest first', { order: 'newest' }],
    ['dead', { state: 'dead' }],
    ['dead, newest first', { state: 'dead', order: 'newest' }],
    ['a common type', { type }],
    ['a rare type', { type: rareType }],
    ['the beginning of a type', { type: 'transfer.rev.*' }],
    ['a type that no event has', { type: 'none' }],
    ['dead, of a rare type', { state: 'dead', type: rareType }],
    ['a rare endpoint', { endpoint: rareEndpoint }],
    ['a resource with many events', { resource }],
    ['a resource with many events, dead', { resource, state: 'dead' }],
    [
      'a resource with many events, dead, since a day ago',
      { resource, state: 'dead', since: new Date(now - 86_400_000) },
    ],
    ['a resource with few events', { resource: rareResource }],
    ['a group', { group }],
    ['a group, a rare type', { group, type: rareType }],
    ['since an hour ago', { since: new Date(now - 3_600_000) }],
    ['until an hour ago, newest first', { until: new Date(now - 3_600_000), order: 'newest' }],
    ['a text that many errors have', { text: 'account' }],
    ['a text that no error has', { text: 'no such text' }],
  ]
}

/** Asks each question some times, prints how long the store took, and returns the longest median in milliseconds. */
export async function ask(
  subject: string,
  questions: readonly (readonly [name: string, run: () => Promise<readonly unknown[]>])[],
): Promise<number> {
  const rows = []
  let longest = 0
  for (const [name, run] of questions) {
    const taken: number[] = []
    let found = 0
    for (let i = 0; i < 7; i++) {
      const startedAt = performance.now()
      found = (await run()).length
      taken.push((performance.now() - startedAt) * 1e6)
    }
    const median = quantile(taken, 0.5)
    longest = Math.max(longest, median / 1e6)
    rows.push([name, found, duration(median), duration(Math.max(...taken))])
  }
  table([subject, 'found', 'median', 'longest'], rows)
  return longest
}

/** Every list, in one endpoint and in all of them. */
export function listQuestions(inbox: Inbox<unknown>, now: number) {
  return lists(now).flatMap(([name, query]) => {
    const { endpoint = filled.endpoint, ...page } = query
    return [
      [name, () => inbox.list({ ...page, endpoint })] as const,
      [`${name}, of all endpoints`, () => inbox.list({ ...page, allEndpoints: true })] as const,
    ]
  })
}

/** Plans of many and of few events. Each is kept, as an operator’s is. */
export function planQuestions({ bulk }: Pick<Inbox<unknown>, 'bulk'>) {
  const { endpoint, rareType, group, resource } = filled
  const plans = [
    ['replay all that are dead', 'replay', {}],
    ['discard a group', 'discard', { group }],
    ['replay a rare type', 'replay', { type: rareType }],
    ['replay all that are done', 'replay', { state: 'done' }],
    ['replay a rare type that is done', 'replay', { type: rareType, state: 'done' }],
    ['replay a resource', 'replay', { resource }],
    ['give up what waits', 'giveUp', {}],
  ] as const
  return plans.map(([name, action, where]) => {
    const make = async () => {
      const plan = await bulk?.makePlan({ id: crypto.randomUUID(), endpoint, action, where })
      return { length: plan?.count ?? 0 } as readonly unknown[]
    }
    return [name, make] as const
  })
}
