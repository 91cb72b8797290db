import type { Hono } from 'hono'
import type { Env } from '../env.js'
import { featuresOf } from '../features.js'
import { actorOf, readActions, rightsOf } from '../guard/authorize.js'
import { requireSameOrigin } from '../guard/same-origin.js'
import type { Resolved } from '../options.js'
import { Problem } from '../problem.js'
import type { Me } from '../wire.js'

/** `GET api/me`: what this person may do, and what the store of this receiver has. Answered 403 to a person without any right. */
export function meRoute(app: Hono<Env>, options: Resolved): void {
  const features = featuresOf(options.receiver)
  app.get('/api/me', async (c) => {
    requireSameOrigin(c.req.raw, 'view')
    const actions = await rightsOf(options, c.env.caller)
    if (actions.length === 0) {
      throw new Problem('forbidden', 'You have no right in this console.')
    }
    const mayAct = actions.some((action) => !readActions.includes(action))
    const me: Me = {
      actions,
      features: await features(),
      isReadOnly: options.readOnly,
      isMasked: options.mask !== undefined,
      ...(mayAct && { actor: await actorOf(options, c.env.caller) }),
      ...(options.environment !== undefined && { environment: options.environment }),
    }
    return c.json(me)
  })
}
