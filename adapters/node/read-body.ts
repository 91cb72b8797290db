import type { Readable } from 'node:stream'
import getRawBody from 'raw-body'
import type { BodyProblem } from '../../src/request.js'

/**
 * The exact bytes of a request: those that a platform or a parser kept in `rawBody` or
 * `body` of a keeper, or else at most `maxBytes` read from it. Settles at once where
 * the bytes are gone. An object in `body` proves nothing: parsers leave `{}` on requests that they skip.
 */
export function readBody(
  stream: Readable,
  keepers: readonly { readonly rawBody?: unknown; readonly body?: unknown }[],
  maxBytes: number,
  length: string | undefined,
): Promise<Uint8Array | BodyProblem> {
  for (const { rawBody, body } of keepers) {
    if (rawBody instanceof Uint8Array) return Promise.resolve(rawBody)
    if (body instanceof Uint8Array) return Promise.resolve(body)
  }
  if (stream.readableDidRead || stream.readableEnded) return Promise.resolve('body_already_read')

  return new Promise((resolve) => {
    // raw-body tells nothing of a stream that closes without an end; a promise settled before ignores this.
    stream.once('close', () => resolve('body_incomplete'))
    getRawBody(stream, { limit: maxBytes, length: length ?? null }, (error, body) => {
      resolve(error ? (problems[error.type] ?? 'body_incomplete') : body)
    })
  })
}

const problems: Readonly<Record<string, BodyProblem>> = {
  'entity.too.large': 'body_too_large',
  // After setEncoding() there are only strings, from which the bytes cannot be had back.
  'stream.encoding.set': 'body_already_read',
}
