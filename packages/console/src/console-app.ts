import { type Context, Hono } from 'hono'
import { Changes } from './changes.js'
import type { Asked, Env } from './env.js'
import { actorOf, may, requireAnyOf, requireRight } from './guard/authorize.js'
import { queryOf, withoutControl } from './guard/control-characters.js'
import { withHeaders } from './guard/headers.js'
import { requireSameOrigin } from './guard/same-origin.js'
import { hiddenJson, revealedBody, revealedQuery } from './guard/sealed-keys.js'
import type { Resolved } from './options.js'
import { pageRoutes } from './page.js'
import { idOfPart } from './path-part.js'
import { Problem, problemOf, problemResponse } from './problem.js'
import { type ActBody, readAct } from './read-act.js'
import { meRoute } from './routes/me.js'
import type { Call, Route } from './routes/route.js'
import { routes } from './routes/routes.js'
import { streamRoute } from './stream.js'
import { lateAct, orUnchanged, orUnknown } from './unknown-outcome.js'
import { withinSeconds } from './within-seconds.js'

/** Answers one request. Never rejects. */
export type ConsoleApp = (request: Request, asked: Asked) => Promise<Response>

const asItIs = (text: string): string => text
const json = { 'Content-Type': 'application/json' }

/** The console without a framework. */
export function consoleApp(options: Resolved): ConsoleApp {
  const app = new Hono<Env>({ getPath: (_request, context) => context?.env?.path ?? '/' })
  const { receiver, logger, limits, sealedKeys: sealed } = options
  const { cover, reveal } = sealed ?? { cover: asItIs, reveal: asItIs }
  const changes = new Changes(receiver, limits)

  meRoute(app, options)
  streamRoute(app, options, changes)
  for (const route of routes) {
    const answer = async (c: Context<Env>) => {
      requireSameOrigin(c.req.raw, route.method === 'POST' ? 'act' : 'view')
      await (typeof route.action === 'string'
        ? requireRight(options, c.env.caller, route.action)
        : requireAnyOf(options, c.env.caller, route.action.anyOf))
      const call: Call = {
        options,
        receiver: options.receiver,
        param: (name) => reveal(withoutControl(name, idOfPart(c.req.param(name as never) as string))),
        query: sealed ? revealedQuery(queryOf(c.req.url), sealed) : queryOf(c.req.url),
        may: (action) => may(options, c.env.caller, action),
        mayMissReports: changes.mayMissReports,
      }
      const found = (await run(route, call, c.req.raw, c.env.caller)) as object
      return sealed ? c.body(hiddenJson(found, sealed), 200, json) : c.json(found)
    }
    app.on(route.method, `/api${route.path}`, (c) =>
      route.method === 'POST' ? orUnchanged(route, logger.error, answer(c)) : answer(c),
    )
  }
  pageRoutes(app, options)
  app.notFound(() => problemResponse(new Problem('not_found', 'The console has no such path.')))
  app.onError(refusal)

  /** The message of the receiver may name a key. */
  function refusal(error: unknown): Response {
    const { code, message, also } = problemOf(error, logger.error)
    const members = sealed ? JSON.parse(hiddenJson(also, sealed)) : also
    return problemResponse(new Problem(code, cover(message), members))
  }

  async function run(route: Route, call: Call, request: Request, caller: unknown): Promise<unknown> {
    if (route.method === 'GET') {
      return withinSeconds(limits.answerSeconds, route.run(call))
    }
    const needsReason = !route.isPreparation
    const given = await readAct(request, { needsReason, seconds: limits.bodySeconds })
    const body = sealed ? revealedBody(given, sealed) : given
    return withinSeconds(limits.answerSeconds, act(route, { ...call, body }, caller), lateAct(route))
  }

  async function act(
    route: Route & { method: 'POST' },
    call: Call & { readonly body: ActBody },
    caller: unknown,
  ): Promise<unknown> {
    if (typeof route.action !== 'string') {
      await requireRight(options, caller, await route.action.find(call))
    }
    const actor = await actorOf(options, caller)
    const work = route.run({ ...call, audit: { reason: call.body.reason, actor } })
    const path = () => route.path.replace(/:(\w+)/g, (_, name: string) => call.param(name))
    return orUnknown(route, logger.error, { what: () => `POST ${path()} by ${actor}`, work })
  }

  /** If a value is not an `Error`, the router throws it instead of passing it to `onError`. */
  async function answerOf(request: Request, asked: Asked): Promise<Response> {
    try {
      return await app.fetch(request, asked)
    } catch (error) {
      return refusal(error)
    }
  }

  return async (request, asked) => {
    const response = await answerOf(request, asked)
    const answer = withHeaders(new Response(response.body, response))
    if (receiver.stopping.aborted) {
      // The server could not close while a connection is open.
      answer.headers.set('Connection', 'close')
    }
    return answer
  }
}
