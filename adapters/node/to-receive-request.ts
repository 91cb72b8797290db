import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { HeaderValue, ReceiveRequest } from '../../src/adapter-port.js'
import { readBody } from './read-body.js'

/**
 * Turns a request of Node into a `ReceiveRequest`. A framework can pass its own request as the `source`. The other
 * parameters are the objects on which a parser may have stored the exact bytes, and the stream of the body. Each has a
 * default.
 *
 * @example
 * http.createServer(async (incoming, response) => {
 *   const { status, headers, body } = await receiver.receive(toReceiveRequest(incoming))
 *   response.writeHead(status, headers).end(body)
 * })
 */
export function toReceiveRequest(
  request: IncomingMessage,
  source: object = request,
  rawBodySources: readonly object[] = [request],
  stream: Readable = request,
): ReceiveRequest {
  return {
    method: request.method,
    headers: (name) => headerOf(request, name),
    body: (maxBytes, time) =>
      readBody(stream, rawBodySources, {
        maxBytes,
        time,
        declaredLength: request.headers['content-length'],
      }),
    url: (request as { originalUrl?: string }).originalUrl ?? request.url,
    source,
  }
}

/**
 * The value of a header, or all its values if it was sent more than once. `headers` of Node joins repeated values or
 * drops all but the first. `headersDistinct` keeps them, but throws on a header named `__proto__` in some releases of Node.
 */
function headerOf({ headers, rawHeaders }: IncomingMessage, name: string): HeaderValue {
  const value = headers[name]
  if (value === undefined) {
    return undefined
  }
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if ((rawHeaders[i] as string).toLowerCase() === name) {
      values.push(rawHeaders[i + 1] as string)
    }
  }
  return values.length > 1 ? values : value
}
