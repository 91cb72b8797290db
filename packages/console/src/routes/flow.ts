import { Problem } from '../problem.js'
import type { CircuitRow, FlowChanged, PauseRow } from '../wire.js'
import type { ActCall, Route } from './route.js'
import { requireShown } from './shown-resource.js'

export const flowRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/flow/pauses',
    action: 'overview:read',
    async run({ receiver, may }): Promise<readonly PauseRow[]> {
      const pauses = await receiver.paused()
      const isNamed = await may('audits:read')
      return pauses.map(({ type, resource, pausedAt, actor, reason }) => ({
        ...(type !== undefined && { type }),
        ...(resource !== undefined && { resource }),
        at: pausedAt,
        ...(isNamed && { actor, reason }),
      }))
    },
  },
  {
    method: 'GET',
    path: '/flow/circuits',
    action: 'overview:read',
    async run({ receiver }): Promise<readonly CircuitRow[]> {
      const circuits = await receiver.openCircuits()
      return circuits.map(({ type, failures, retryAt = '', isOnTrial }) => ({
        type,
        failures,
        retryAt,
        isOnTrial,
      }))
    },
  },
  {
    method: 'POST',
    path: '/flow/pause',
    action: 'consumption:pause',
    async run(call): Promise<FlowChanged> {
      const target = targetOf(call)
      await requireShown(call, target.resource)
      return { isChanged: await call.receiver.pause(target, call.audit) }
    },
  },
  {
    method: 'POST',
    path: '/flow/resume',
    action: 'consumption:pause',
    async run(call): Promise<FlowChanged> {
      const { receiver, audit, body } = call
      const { seen, ...rest } = body
      const target = targetOf({ body: rest })
      if (typeof seen !== 'string') {
        throw new Problem('invalid_request', 'Send the time of the pause that was shown, as seen.')
      }
      try {
        return { isChanged: await receiver.resume(target, audit, { seen: { pausedAt: seen } }) }
      } catch (error) {
        throw (error as { code?: unknown }).code === 'pause_changed'
          ? await anotherPause(call, target)
          : error
      }
    },
  },
]

/** Says which pause is there now. */
async function anotherPause({ receiver, may }: ActCall, { type, resource }: Target): Promise<Problem> {
  const now = (await receiver.paused()).find((each) => each.type === type && each.resource === resource)
  const who = now && (await may('audits:read')) ? ` by ${now.actor}: ${now.reason}` : ''
  return new Problem(
    'pause_changed',
    `The pause that was shown has ended.${now ? ` It was paused again at ${now.pausedAt}${who}` : ''}`,
  )
}

interface Target {
  readonly type?: string
  readonly resource?: string
}

/** What to pause: a type, a resource, or the whole endpoint if neither is given. */
function targetOf({ body }: Pick<ActCall, 'body'>): Target {
  const { type, resource, reason: _, ...others } = body
  // A name with a typo would pause the whole endpoint.
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    throw new Problem('invalid_request', `${unknown} is unknown. Give a type, a resource, or neither.`)
  }
  for (const [name, value] of Object.entries({ type, resource })) {
    if (value !== undefined && typeof value !== 'string') {
      throw new Problem('invalid_request', `${name} must be a string`)
    }
  }
  return {
    ...(typeof type === 'string' && { type }),
    ...(typeof resource === 'string' && { resource }),
  }
}
