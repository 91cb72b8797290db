import type { Receiver } from 'webhook-inbox'
import type { ConsoleAction } from '../src/wire.js'
import { openFilledInbox, openWaitingInbox } from './rig.js'

/** A request of a route that succeeds on its receiver, and the one right that it needs. */
export interface RouteCall {
  readonly receiver: Receiver
  readonly action: ConsoleAction
  /** Below `api`. */
  readonly path: string
  readonly body?: object
}

type Make = () => Promise<RouteCall>

const of =
  (action: ConsoleAction, path: string, body?: object, open = openFilledInbox): Make =>
  async () => ({ receiver: (await open()).receiver, action, path, ...(body && { body }) })

const ofDelivery =
  (action: ConsoleAction, end = ''): Make =>
  async () => {
    const { receiver } = await openFilledInbox()
    const [delivery] = await receiver.quarantined()
    return { receiver, action, path: `/quarantine/${encodeURIComponent(delivery?.key ?? '')}${end}` }
  }

const ofGroup =
  (action: ConsoleAction, end = ''): Make =>
  async () => {
    const { receiver } = await openFilledInbox()
    const [group] = await receiver.failures()
    const body = { seen: { state: group?.state, changes: group?.changes } }
    const path = `/groups/${encodeURIComponent(group?.group ?? '')}${end}`
    return { receiver, action, path, ...(end && { body }) }
  }

const waiting = { seen: { state: 'failed', generation: 0 } }
const going = { seen: { state: 'running', changes: 0 } }
const nothingSeen = { seen: undefined }
const reason = { reason: 'a test', actor: 'operator 2' }

/** A plan that gives up what waits: its right differs from that of the other plans. */
async function givingUp() {
  const { receiver } = await openWaitingInbox()
  return { receiver, plan: await receiver.plan({ action: 'giveUp' }) }
}

const ofRun =
  (action: ConsoleAction, end = '', body?: object): Make =>
  async () => {
    const { receiver, plan } = await givingUp()
    const run = await receiver.run(plan, { ...reason, perSecond: 0.001 })
    // The first event is handled immediately, the second one much later.
    while ((await run.progress()).applied === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return { receiver, action, path: `/runs/${run.id}${end}`, ...(body && { body }) }
  }

/** Every route by its method and path. The test of rights fails for one that is missing here. */
export const calls: Readonly<Record<string, Make>> = {
  'GET /overview': of('overview:read', '/overview'),
  'GET /flow/circuits': of('overview:read', '/flow/circuits'),
  'GET /sources': of('overview:read', '/sources'),
  'GET /workers': of('overview:read', '/workers'),
  'GET /events': of('events:read', '/events'),
  'GET /events/:id': of('events:read', '/events/evt_dead'),
  'GET /events/:id/body': of('bodies:read', '/events/evt_dead/body'),
  'GET /events/:id/snippet': of('bodies:read', '/events/evt_dead/snippet?as=curl'),
  'POST /events/:id/replay': of('events:replay', '/events/evt_dead/replay'),
  'POST /events/:id/discard': of('events:discard', '/events/evt_dead/discard'),
  'POST /events/:id/retry-now': of('events:retry', '/events/evt_failed/retry-now', waiting, openWaitingInbox),
  'POST /events/:id/give-up': of('events:give-up', '/events/evt_failed/give-up', waiting, openWaitingInbox),
  'POST /events/:id/replay-edited': of('events:edit', '/events/evt_dead/replay-edited', {
    body: '{"id":"evt_dead","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{}}',
  }),
  'POST /plans': of('events:replay', '/plans', { action: 'replay' }),
  'POST /plans/:id/run': async () => {
    const { receiver, plan } = await givingUp()
    return { receiver, action: 'events:give-up', path: `/plans/${plan.id}/run` }
  },
  'GET /runs': of('events:read', '/runs'),
  'GET /runs/:id': ofRun('events:read'),
  'GET /runs/:id/left-alone': ofRun('events:read', '/left-alone'),
  'GET /runs/:id/notes': ofRun('events:read', '/notes'),
  'GET /runs/:id/applied': ofRun('events:read', '/applied'),
  'POST /runs/:id/pause': ofRun('events:give-up', '/pause', going),
  'POST /runs/:id/resume': ofRun('events:give-up', '/resume', going),
  'POST /runs/:id/cancel': ofRun('events:give-up', '/cancel', going),
  'POST /undo': async () => {
    const { receiver } = await openFilledInbox()
    await receiver.discard('evt_dead', reason)
    const [seen] = await receiver.undoable('evt_dead')
    return {
      receiver,
      action: 'events:discard',
      path: '/undo',
      body: { of: 'evt_dead', kind: 'event', seen },
    }
  },
  'GET /groups': of('events:read', '/groups'),
  'GET /groups/:group': ofGroup('events:read'),
  'POST /groups/:group/acknowledge': ofGroup('groups:write', '/acknowledge'),
  'POST /groups/:group/resolve': ofGroup('groups:write', '/resolve'),
  'POST /groups/:group/reopen': ofGroup('groups:write', '/reopen'),
  'GET /quarantine': of('events:read', '/quarantine'),
  'GET /quarantine/:key': ofDelivery('events:read'),
  'POST /quarantine/:key/discard': ofDelivery('events:discard', '/discard'),
  'POST /quarantine/:key/verify-again': ofDelivery('deliveries:verify', '/verify-again'),
  'POST /quarantine/preview': of('deliveries:verify', '/quarantine/preview'),
  'POST /quarantine/verify-again': of('deliveries:verify', '/quarantine/verify-again'),
  'GET /flow/pauses': of('overview:read', '/flow/pauses'),
  'POST /flow/pause': of('consumption:pause', '/flow/pause', nothingSeen),
  'POST /flow/resume': async () => {
    const { receiver } = await openFilledInbox()
    await receiver.pause({}, reason)
    const [pause] = await receiver.paused()
    return { receiver, action: 'consumption:pause', path: '/flow/resume', body: { seen: pause?.pausedAt } }
  },
  'GET /audits': of('audits:read', '/audits'),
}

export async function callOf(name: string): Promise<RouteCall> {
  const make = calls[name]
  if (!make) {
    throw new Error(`${name} is missing in the table of calls`)
  }
  return make()
}
