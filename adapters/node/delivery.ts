import type { IncomingMessage } from 'node:http'
import type { HeaderValue, ReceiveRequest } from '../../src/request.js'
import { type BodyKeeper, readBody } from './read-body.js'

/** A request of Node as the receiver takes it; `source` is the framework’s own. */
export function delivery(
  request: IncomingMessage,
  source: object = request,
  keepers: readonly BodyKeeper[] = [request as BodyKeeper],
): ReceiveRequest {
  return {
    method: request.method,
    headers: (name) => headerOf(request, name),
    body: (maxBytes) => readBody(request, keepers, maxBytes),
    url: (request as { originalUrl?: string }).originalUrl ?? request.url,
    source,
  }
}

/**
 * The value of a header, or every value of one that was sent more than once: `headers` joins those or drops all but the
 * first. `headersDistinct` keeps them, but throws on a header named `__proto__` in releases of Node that we support.
 */
function headerOf({ headers, rawHeaders }: IncomingMessage, name: string): HeaderValue {
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === name) values.push(rawHeaders[i + 1] as string)
  }
  return values.length > 1 ? values : headers[name]
}
