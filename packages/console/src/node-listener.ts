import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { ConsoleApp } from './console-app.js'
import type { Asked } from './env.js'
import { withHeaders } from './guard/headers.js'
import { Problem, problemResponse } from './problem.js'

/** Serves requests of node:http through the console. */
export function nodeListener(
  app: ConsoleApp,
): (request: IncomingMessage, response: ServerResponse, asked: Asked) => Promise<void> {
  const askedOf = new WeakMap<object, Asked>()
  const listener = getRequestListener(
    (request, { incoming }) => app(request, askedOf.get(incoming) as Asked),
    {
      hostname: 'localhost',
      overrideGlobalObjects: false,
      errorHandler: () =>
        withHeaders(problemResponse(new Problem('invalid_request', 'This request cannot be read.'))),
    },
  )
  return async (request, response, asked) => {
    askedOf.set(request, asked)
    keepParsedBody(request)
    await listener(request, response)
  }
}

/** A body parser that ran before has used up the bytes. What it read is written again. */
function keepParsedBody(request: IncomingMessage & { body?: unknown; rawBody?: unknown }): void {
  if (!request.readableEnded || request.rawBody instanceof Buffer) {
    return
  }
  const { body } = request
  if (Buffer.isBuffer(body)) {
    request.rawBody = body
  } else if (typeof body === 'string') {
    request.rawBody = Buffer.from(body)
  } else if (typeof body === 'object' && body !== null) {
    request.rawBody = Buffer.from(JSON.stringify(body))
  }
}
