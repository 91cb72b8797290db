import type { Receiver } from 'webhook-inbox'
import type { ConsoleAction } from '../src/wire.js'

/** A request of a route that succeeds on `openFilledInbox()`, and the one right that it needs. */
export interface RouteCall {
  readonly action: ConsoleAction
  /** Below `api`. */
  readonly path: string
  readonly body?: object
}

type Make = (receiver: Receiver) => RouteCall | Promise<RouteCall>

const of =
  (action: ConsoleAction, path: string, body?: object): Make =>
  () => ({ action, path, ...(body && { body }) })

const ofDelivery =
  (action: ConsoleAction, end = ''): Make =>
  async (receiver) => {
    const [delivery] = await receiver.quarantined()
    return { action, path: `/quarantine/${encodeURIComponent(delivery?.key ?? '')}${end}` }
  }

const ofGroup =
  (action: ConsoleAction, end = ''): Make =>
  async (receiver) => {
    const [group] = await receiver.failures()
    return { action, path: `/groups/${encodeURIComponent(group?.group ?? '')}${end}` }
  }

/** Every route by its method and path. The test of rights fails for one that is missing here. */
export const calls: Readonly<Record<string, Make>> = {
  'GET /overview': of('overview:read', '/overview'),
  'GET /events': of('events:read', '/events'),
  'GET /events/:id': of('events:read', '/events/evt_dead'),
  'GET /events/:id/body': of('bodies:read', '/events/evt_dead/body'),
  'POST /events/:id/replay': of('events:replay', '/events/evt_dead/replay'),
  'POST /events/:id/discard': of('events:discard', '/events/evt_dead/discard'),
  'GET /groups': of('events:read', '/groups'),
  'GET /groups/:group': ofGroup('events:read'),
  'POST /groups/:group/acknowledge': ofGroup('groups:write', '/acknowledge'),
  'POST /groups/:group/resolve': ofGroup('groups:write', '/resolve'),
  'GET /quarantine': of('events:read', '/quarantine'),
  'GET /quarantine/:key': ofDelivery('events:read'),
  'POST /quarantine/:key/discard': ofDelivery('events:discard', '/discard'),
  'GET /flow/pauses': of('overview:read', '/flow/pauses'),
  'POST /flow/pause': of('consumption:pause', '/flow/pause'),
  'POST /flow/resume': of('consumption:pause', '/flow/resume'),
  'GET /audits': of('audits:read', '/audits'),
}

export async function callOf(name: string, receiver: Receiver): Promise<RouteCall> {
  const make = calls[name]
  if (!make) {
    throw new Error(`${name} is missing in the table of calls`)
  }
  return make(receiver)
}
