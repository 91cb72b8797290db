import { type Answer, type Answering, type ReadBody, requireReceiver } from '../src/adapter-port.js'

/**
 * The receiver as a WHATWG fetch handler, for Workers, Bun, Deno and Node, and for Hono through `c.req.raw`. It ignores
 * all arguments after the request. Mount it on every method of the path, so that the receiver can answer 405.
 *
 * The handler rejects only for programming errors, as `receive` does. Throws `ConfigurationError` `invalid_option` if
 * the argument is not a receiver.
 *
 * @example
 * export default { fetch: fetchHandler(receiver) }
 */
export function fetchHandler(receiver: Answering): (request: Request) => Promise<Response> {
  requireReceiver(receiver, 'fetchHandler')
  return async function receiveWebhook(request) {
    const { pathname, search } = new URL(request.url)
    const result = await receiver.receive({
      method: request.method,
      headers: request.headers,
      body: bodyOf(request),
      url: pathname + search,
      source: request,
    })
    return toResponse(result, request.method)
  }
}

/** A response to HEAD has no body (RFC 9110, 9.3.2). Not every runtime removes it. */
function toResponse({ status, headers, body }: Answer, method: string): Response {
  return new Response(method === 'HEAD' ? null : body, { status, headers })
}

function bodyOf(request: Request): ReadBody {
  return async (maxBytes, time) => {
    if (request.bodyUsed || request.body?.locked) {
      return 'body_already_read'
    }
    return request.body ? readStream(request.body, maxBytes, time.signal) : new Uint8Array(0)
  }
}

/** Reads at most `maxBytes` until the time is up. Ignores the declared length. */
async function readStream(stream: ReadableStream<Uint8Array>, maxBytes: number, signal: AbortSignal) {
  const reader = stream.getReader()
  // Not awaited: cancel() of some sources never settles, and must not delay the response.
  const cancel = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', cancel, { once: true })
  let bytes = new Uint8Array(0)
  let length = 0
  while (true) {
    const { done, value } = await reader.read()
    if (done) {
      return signal.aborted ? 'body_incomplete' : bytes.subarray(0, length)
    }
    // A program may have decoded the stream of its request. The exact bytes are lost then.
    if (typeof value === 'string') {
      cancel()
      return 'body_already_read'
    }
    if (value.byteLength === 0) {
      // A source of empty chunks without end would let no timer fire, so the time would never be up.
      await new Promise((resolve) => setTimeout(resolve))
    }
    if (length + value.byteLength > maxBytes) {
      cancel()
      return 'body_too_large'
    }
    bytes = append(bytes, length, value, maxBytes)
    length += value.byteLength
  }
}

/**
 * Appends to one buffer that doubles, up to `maxBytes`. A list of chunks would need about 100 bytes for a chunk of one
 * byte.
 */
function append(
  bytes: Uint8Array<ArrayBuffer>,
  length: number,
  chunk: Uint8Array,
  maxBytes: number,
): Uint8Array<ArrayBuffer> {
  const needed = length + chunk.byteLength
  if (needed > bytes.length) {
    const grown = new Uint8Array(Math.min(maxBytes, Math.max(needed, bytes.length * 2)))
    grown.set(bytes.subarray(0, length))
    bytes = grown
  }
  bytes.set(chunk, length)
  return bytes
}
