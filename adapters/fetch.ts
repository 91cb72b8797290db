import type { Receiver } from '../src/receiver.js'
import type { ReadBody } from '../src/request.js'
import type { ReceiveResult } from '../src/result.js'

/**
 * The receiver as a WHATWG fetch handler: Workers, Bun, Deno, Node, and Hono through `c.req.raw`. What a runtime passes
 * beside the request is ignored. Mount it on every method of the path, so that the receiver itself answers 405.
 *
 * Rejects only where `receive` does: when the program itself is wrong.
 */
export function fetchHandler(receiver: Receiver): (request: Request) => Promise<Response> {
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

/** An answer to HEAD carries no body (RFC 9110, 9.3.2), and not every runtime drops it. */
function toResponse({ status, headers, body }: ReceiveResult, method: string): Response {
  return new Response(method === 'HEAD' ? null : body, { status, headers })
}

function bodyOf(request: Request): ReadBody {
  return async (maxBytes) => {
    if (request.bodyUsed || request.body?.locked) return 'body_already_read'
    return request.body ? readStream(request.body, maxBytes) : new Uint8Array(0)
  }
}

/** Reads at most `maxBytes`, whatever length was declared. */
async function readStream(stream: ReadableStream<Uint8Array>, maxBytes: number) {
  const reader = stream.getReader()
  let bytes = new Uint8Array(0)
  let length = 0
  while (true) {
    const { done, value } = await reader.read()
    if (done) return bytes.subarray(0, length)
    if (length + value.byteLength > maxBytes) {
      // Not awaited: a source that never settles its cancellation must not hold the answer back.
      reader.cancel().catch(() => {})
      return 'body_too_large'
    }
    bytes = append(bytes, length, value)
    length += value.byteLength
  }
}

/** One buffer that doubles: a list of chunks would cost a hundred bytes for each byte of a body sent byte by byte. */
function append(bytes: Uint8Array<ArrayBuffer>, length: number, chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const needed = length + chunk.byteLength
  if (needed > bytes.length) {
    const grown = new Uint8Array(length === 0 ? needed : Math.max(needed, bytes.length * 2))
    grown.set(bytes.subarray(0, length))
    bytes = grown
  }
  bytes.set(chunk, length)
  return bytes
}
