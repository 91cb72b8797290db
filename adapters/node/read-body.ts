import type { IncomingMessage } from 'node:http'
import getRawBody from 'raw-body'
import type { BodyProblem } from '../../src/request.js'

/** Where platforms and parsers keep the exact bytes once they have read them. */
export interface BodyKeeper {
  readonly rawBody?: unknown
  readonly body?: unknown
}

/**
 * The exact bytes of a request: those that somebody kept, or else at most `maxBytes` read from it. Settles at once where
 * the bytes are gone. An object in `body` proves nothing: parsers leave `{}` on requests that they skip.
 */
export function readBody(
  request: IncomingMessage,
  keepers: readonly BodyKeeper[],
  maxBytes: number,
): Promise<Uint8Array | BodyProblem> {
  for (const { rawBody, body } of keepers) {
    if (rawBody instanceof Uint8Array) return Promise.resolve(rawBody)
    if (body instanceof Uint8Array) return Promise.resolve(body)
  }
  if (request.readableDidRead || request.readableEnded) return Promise.resolve('body_already_read')

  return new Promise((resolve) => {
    // raw-body tells nothing of a stream that closes without an end; a promise settled before ignores this.
    request.once('close', () => resolve('body_incomplete'))
    const length = request.headers['content-length'] ?? null
    getRawBody(request, { limit: maxBytes, length }, (error, body) => {
      resolve(error ? (problems[error.type] ?? 'body_incomplete') : body)
    })
  })
}

const problems: Readonly<Record<string, BodyProblem>> = {
  'entity.too.large': 'body_too_large',
  // After setEncoding() there are only strings, from which the bytes cannot be had back.
  'stream.encoding.set': 'body_already_read',
}
