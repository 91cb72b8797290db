import { Problem } from '../problem.js'
import type { CircuitRow, FlowChanged, PauseRow } from '../wire.js'
import { orNow, whoDid } from './as-seen.js'
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
      if (!(await call.receiver.pause(target, call.audit))) {
        throw new Problem(
          'pause_changed',
          await pauseNow(call, target, 'It was not paused when this was shown.'),
        )
      }
      return { isChanged: true }
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
      const sayNow = () => pauseNow(call, target, 'The pause that was shown has ended.')
      const resume = receiver.resume(target, audit, { seen: { pausedAt: seen } })
      if (!(await orNow('pause_changed', resume, sayNow))) {
        throw new Problem('pause_changed', await sayNow())
      }
      return { isChanged: true }
    },
  },
]

/** Says which pause is there now, or who ended the last one. */
async function pauseNow(call: ActCall, { type, resource }: Target, fact: string): Promise<string> {
  const { receiver, may } = call
  const now = (await receiver.paused()).find((each) => each.type === type && each.resource === resource)
  const isNamed = await may('audits:read')
  if (now) {
    const { pausedAt: at, actor, reason } = now
    return `${fact} ${isNamed ? whoDid({ action: 'pause', at, actor, reason }) : `It was paused at ${at}.`}`
  }
  // As the log of audits names it.
  const subject = type ? `type ${type}` : resource && `resource ${resource}`
  const audits = isNamed ? await receiver.audits({ limit: mostRead, ...(subject && { subject }) }) : []
  const last = audits.find((each) => each.action === 'resume' && each.subject === subject)
  return last ? `${fact} ${whoDid(last)}` : fact
}

/** How many audits are read to find who resumed it. */
const mostRead = 100

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
