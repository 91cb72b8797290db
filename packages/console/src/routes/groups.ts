import { type FailureGroup, type GroupState, isDeliveryKey, type Receiver } from 'webhook-inbox'
import { Problem } from '../problem.js'
import { adviceFor } from '../views/advice.js'
import { auditsOfGroup } from '../views/audits-of-group.js'
import { givenUpOfCause } from '../views/given-up.js'
import { groupRow } from '../views/group-row.js'
import { type SinceSuccess, sinceSuccess } from '../views/since-success.js'
import type { GroupDetail, GroupRow, Page } from '../wire.js'
import { orNow, seenChangesOf, whoDid } from './as-seen.js'
import { errorOf, groupRows, hiddenOf } from './group-rows.js'
import { parts } from './part.js'
import { type ActCall, cursorOf, limitOf, placeOf, type Route } from './route.js'

/** More groups than an endpoint has: 200, one for each code, and one for other causes. */
export const mostGroups = 1000

export const groupRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/groups',
    action: 'events:read',
    async run(call): Promise<Page<GroupRow>> {
      const { receiver, query } = call
      const { groups, next } = query.get('sort')
        ? await mostFirst(receiver, query)
        : await lastSeen(receiver, query)
      return { rows: await groupRows(call, groups), ...(next !== undefined && { next }) }
    },
  },
  {
    method: 'GET',
    path: '/groups/:group',
    action: 'events:read',
    async run(call): Promise<GroupDetail> {
      const { receiver, options, param, may } = call
      const group = await groupOf(receiver, param('group'))
      const example = await receiver.inspect(group.example)
      const mayReadAudits = await may('audits:read')
      const { success, ...about } = await parts<
        Pick<GroupDetail, 'audits' | 'givenUp'> & { success?: SinceSuccess }
      >(call, {
        success: async () => (example ? sinceSuccess(receiver, options, example) : undefined),
        givenUp: async () =>
          group.dead > 0 ? (await givenUpOfCause(receiver, group.group)) || undefined : undefined,
        audits: async () => (mayReadAudits ? auditsOfGroup(receiver, group.group) : undefined),
      })
      const row = groupRow(group, await hiddenOf(call, group, example))
      const error = await errorOf(call, group, example)
      const advice = group.code === undefined ? undefined : adviceFor(group.code, row.isExampleDelivery)
      return {
        ...row,
        ...(error !== undefined && { error }),
        ...(advice && { advice }),
        ...((await isGone(receiver, group)) && { isExampleGone: true }),
        ...success,
        ...about,
      }
    },
  },
  marks('acknowledge', 'acknowledgeGroup'),
  marks('resolve', 'resolveGroup'),
  marks('reopen', 'reopenGroup'),
]

/** The route of an act that changes the state of a group. */
function marks(word: string, method: 'acknowledgeGroup' | 'resolveGroup' | 'reopenGroup'): Route {
  return {
    method: 'POST',
    path: `/groups/:group/${word}`,
    action: 'groups:write',
    async run(call): Promise<object> {
      const { receiver, param, audit, body } = call
      const { group } = await groupOf(receiver, param('group'))
      const seen = seenChangesOf<GroupState>(body)
      await orNow('group_changed', receiver[method](group, audit, { seen }), () => stateNow(call, group))
      return {}
    },
  }
}

/** Who gave the cause its state, for those who may read that. */
async function stateNow({ receiver, may }: ActCall, group: string): Promise<string> {
  const { state } = await groupOf(receiver, group)
  const [last] = (await may('audits:read')) ? await receiver.audits({ subject: group, limit: 1 }) : []
  return `The cause is ${state} now, not as it was shown.${last ? ` ${whoDid(last)}` : ''}`
}

interface Groups {
  readonly groups: readonly FailureGroup[]
  readonly next?: string | undefined
}

const stateOf = (query: URLSearchParams) => (query.get('state') || undefined) as GroupState | undefined

/** An open cause that holds nothing needs no one. It comes back with its next failure. */
const showsEmpty = (query: URLSearchParams) => stateOf(query) !== 'open'

/** The groups that failed last come first. */
async function lastSeen(receiver: Receiver, query: URLSearchParams): Promise<Groups> {
  const limit = limitOf(query)
  const found = await receiver.failures({
    state: stateOf(query),
    empty: showsEmpty(query),
    limit: limit + 1,
    after: cursorOf(query),
  })
  const groups = found.slice(0, limit)
  const next = found.length > limit ? groups.at(-1)?.group : undefined
  return { groups, next }
}

/** The groups with the most dead events come first, or with the most events of any state. Sorts the last 1,000 groups. */
async function mostFirst(receiver: Receiver, query: URLSearchParams): Promise<Groups> {
  const sort = query.get('sort')
  if (sort !== 'dead' && sort !== 'events') {
    throw new Problem('invalid_request', 'sort must be dead or events; without it, the last seen come first')
  }
  const [limit, start] = [limitOf(query), placeOf(query) ?? 0]
  const found = await receiver.failures({
    state: stateOf(query),
    empty: showsEmpty(query),
    limit: mostGroups,
  })
  const sorted = found.toSorted((a, b) => (sort === 'dead' && b.dead - a.dead) || b.count - a.count)
  const end = start + limit
  return { groups: sorted.slice(start, end), next: end < sorted.length ? String(end) : undefined }
}

/** The example of a group stays its example when it is released or discarded. */
async function isGone(receiver: Receiver, { example, endpoint }: FailureGroup): Promise<boolean> {
  return isDeliveryKey(example, endpoint) && (await receiver.inspectQuarantined(example)) === undefined
}

async function groupOf(receiver: Receiver, id: string): Promise<FailureGroup> {
  const found = (await receiver.failures({ empty: true, limit: mostGroups })).find(
    ({ group }) => group === id,
  )
  if (found) {
    return found
  }
  throw new Problem(
    'not_found',
    'There is no such cause. A cause is deleted when nothing has failed with it for a while.',
  )
}
