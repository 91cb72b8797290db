import type { Plan, Receiver } from 'webhook-inbox'
import { anyBulkRight, bulkActions, planConditions } from '../bulk-actions.js'
import { Problem } from '../problem.js'
import { replayNotes } from '../replay-notes.js'
import { quarantinedWords } from '../views/planned-quarantine.js'
import { runView } from '../views/run-view.js'
import { underWay } from '../views/under-way.js'
import { undoWords } from '../views/undo-words.js'
import type { BulkAction, PlanView, RunView } from '../wire.js'
import { type Filter, filterOf } from './filter.js'
import { plannedEvents } from './planned-events.js'
import { requireNoOther } from './require-no-other.js'
import type { ActCall, Route } from './route.js'
import { requireShown } from './shown-resource.js'

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
      const about =
        action === 'replay'
          ? await replayNotes(call.receiver, where)
          : { notes: action === 'discard' ? [undoWords(call.receiver)] : [] }
      const quarantined = count > 0 && (await quarantinedWords(call.receiver, action, where))
      const notes = [...about.notes, ...(quarantined ? [quarantined] : [])]
      const plan = { id, action, count, isCapped, createdAt, ...about, notes }
      if (!(await call.may('events:read'))) {
        return { ...plan, sample: [], underWay: [] }
      }
      return {
        ...plan,
        ...(await plannedEvents(call, action, where)),
        underWay: await underWay(call.receiver, { action, where }, await call.may('audits:read')),
      }
    },
  },
  {
    method: 'POST',
    path: '/plans/:id/run',
    action: {
      anyOf: anyBulkRight,
      find: async ({ receiver, param }) => bulkActions[(await planOf(receiver, param('id'))).action].right,
    },
    async run(call): Promise<RunView> {
      const { receiver, param, body, audit } = call
      const plan = await planOf(receiver, param('id'))
      await requireNoOther(call, plan)
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

function actionOf({ action }: ActCall['body']): BulkAction {
  if (typeof action === 'string' && Object.hasOwn(bulkActions, action)) {
    return action as BulkAction
  }
  throw new Problem('invalid_request', `action must be one of ${Object.keys(bulkActions).join(', ')}`)
}

/** The conditions in the query of the URL. An unknown condition is rejected, because ignoring it would select more events. */
function whereOf({ where = {} }: ActCall['body']): Filter {
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
    throw new Problem('not_found', 'This preview is not kept any more. Preview again.')
  }
  return plan
}
