import type { Plan, Receiver, StoredEvent } from 'webhook-inbox'
import { anyBulkRight, bulkActions, planConditions, statesOf } from '../bulk-actions.js'
import { Problem } from '../problem.js'
import { eventRow } from '../views/event-row.js'
import { runView } from '../views/run-view.js'
import { spreadSample } from '../views/spread-sample.js'
import type { BulkAction, EventRow, PlanView, RunView } from '../wire.js'
import { filterOf } from './filter.js'
import type { ActCall, Call, Route } from './route.js'
import { requireShown } from './shown-resource.js'

const mostSamples = 5
/** A sample is chosen among so many of the oldest and of the newest events of each state. */
const mostRead = 200
const conditions: readonly string[] = planConditions

export const planRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/plans',
    action: { anyOf: anyBulkRight, find: async ({ body }) => bulkActions[actionOf(body)].right },
    isPreparation: true,
    async run(call): Promise<PlanView> {
      const action = actionOf(call.body)
      const where = whereOf(call.body)
      await requireShown(call, where.resource)
      const { id, count, isCapped, createdAt } = await call.receiver.plan({ action, where })
      const sample = (await call.may('events:read')) ? await sampleOf(call, action, where) : []
      return { id, action, count, isCapped, createdAt, sample }
    },
  },
  {
    method: 'POST',
    path: '/plans/:id/run',
    action: {
      anyOf: anyBulkRight,
      find: async ({ receiver, param }) => bulkActions[(await planOf(receiver, param('id'))).action].right,
    },
    async run({ receiver, param, body, audit }): Promise<RunView> {
      const plan = await planOf(receiver, param('id'))
      const { perSecond, canary } = body as { perSecond?: number; canary?: number }
      const run = await receiver.run(plan, {
        ...audit,
        ...(perSecond !== undefined && { perSecond }),
        ...(canary !== undefined && { canary }),
      })
      return runView(await run.progress())
    },
  },
]

type Where = ReturnType<typeof filterOf>

function actionOf({ action }: ActCall['body']): BulkAction {
  if (typeof action === 'string' && Object.hasOwn(bulkActions, action)) {
    return action as BulkAction
  }
  throw new Problem('invalid_request', `action must be one of ${Object.keys(bulkActions).join(', ')}`)
}

/** The conditions in the query of the URL. An unknown condition is rejected, because ignoring it would select more events. */
function whereOf({ where = {} }: ActCall['body']): Where {
  if (typeof where !== 'object' || where === null || Array.isArray(where)) {
    throw new Problem('invalid_request', 'where must be an object')
  }
  const given = Object.entries(where)
  const query = new URLSearchParams()
  for (const [name, value] of given) {
    if (!conditions.includes(name) || typeof value !== 'string' || value === '') {
      throw new Problem('invalid_request', `where takes texts under ${conditions.join(', ')}`)
    }
    query.set(name, value)
  }
  return filterOf(query)
}

/** The plan of this endpoint. Throws a `Problem` if none is kept. */
async function planOf(receiver: Receiver, id: string): Promise<Plan> {
  const plan = await receiver.findPlan(id)
  if (!plan) {
    throw new Problem('not_found', 'There is no plan with this id. Count again.')
  }
  return plan
}

/** Some of the events that meet the conditions, of each cause, to show before a run. */
async function sampleOf({ receiver, options }: Call, action: BulkAction, where: Where) {
  const found = new Map<string, StoredEvent>()
  for (const state of statesOf(action, where.state)) {
    const about = { ...where, state, limit: mostRead, bodies: false }
    const oldest = await receiver.list(about)
    const newest = oldest.length < mostRead ? [] : await receiver.list({ ...about, order: 'newest' })
    for (const event of [...oldest, ...newest.toReversed()]) {
      found.set(event.key, event)
    }
  }
  const rows: EventRow[] = []
  for (const event of spreadSample([...found.values()], ({ group = '' }) => group, mostSamples)) {
    // The mask looks into the body.
    const whole = options.mask ? await receiver.inspect(event.id) : event
    whole && rows.push(eventRow(whole, options))
  }
  return rows
}
