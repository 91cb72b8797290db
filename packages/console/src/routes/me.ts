import type { Hono } from 'hono'
import type { Env } from '../env.js'
import { actorOf, readActions, rightsOf } from '../guard/authorize.js'
import { requireSameOrigin } from '../guard/same-origin.js'
import type { Resolved } from '../options.js'
import { Problem } from '../problem.js'
import type { Feature, Me } from '../wire.js'

const features: readonly Feature[] = [
  ...(['statistics', 'audits', 'explain', 'flow', 'groups', 'shapes'] as const),
  ...(['bulk', 'retry', 'edit', 'verify', 'workers', 'sources', 'copy', 'body-search'] as const),
]

/** `GET api/me`: what this person may do, and what this receiver can. Answered 403 to a person without any right. */
export function meRoute(app: Hono<Env>, options: Resolved): void {
  app.get('/api/me', async (c) => {
    requireSameOrigin(c.req.raw, 'view')
    const actions = await rightsOf(options, c.env.caller)
    if (actions.length === 0) {
      throw new Problem('forbidden', 'You have no right in this console.')
    }
    const mayAct = actions.some((action) => !readActions.includes(action))
    const me: Me = {
      actions,
      features,
      isReadOnly: options.readOnly,
      isMasked: options.mask !== undefined,
      ...(mayAct && { actor: await actorOf(options, c.env.caller) }),
      ...(options.environment !== undefined && { environment: options.environment }),
    }
    return c.json(me)
  })
}
