import type { Readable } from 'node:stream'
import type { BodyProblem, ReadTime } from '../../src/adapter-port.js'

/** Objects on which a platform or a parser may have kept the exact bytes. */
export type RawBodySources = readonly { readonly rawBody?: unknown; readonly body?: unknown }[]

/** How much to read, and for how long. */
export interface ReadLimits {
  readonly maxBytes: number
  readonly time: Pick<ReadTime, 'aborted'>
  /** The `Content-Length` header, if there is one. */
  readonly declaredLength: string | undefined
}

/**
 * The exact bytes of a request: the bytes in `rawBody` or `body` of a source, or else the bytes of the stream. Resolves
 * immediately if the bytes are lost. Text in `rawBody` or `body` is not used, because decoding may have changed it. It says
 * nothing about the stream either. A plain object in `body` does not mean that a parser has read the body, because
 * parsers set `{}` on requests that they skip.
 *
 * The package `raw-body` keeps an object for each chunk. A body sent byte by byte would then take hundreds of times its
 * size in memory, before any signature is checked.
 */
export function readBody(
  stream: Readable,
  sources: RawBodySources,
  { maxBytes, time, declaredLength }: ReadLimits,
): Promise<Uint8Array | BodyProblem> {
  return new Promise((resolve) => {
    for (const { rawBody, body } of sources) {
      if (rawBody instanceof Uint8Array) {
        return resolve(rawBody)
      }
      if (body instanceof Uint8Array) {
        return resolve(body)
      }
    }
    if (stream.readableDidRead || stream.readableEnded) {
      return resolve('body_already_read')
    }

    /** What has arrived so far; `undefined` once the promise is settled. */
    let bytes: Uint8Array | undefined = nothing
    let size = 0

    const settle = (result: Uint8Array | BodyProblem) => {
      bytes = undefined
      resolve(result)
    }
    const giveUp = () => settle('body_incomplete')
    // A closed stream emits no more events.
    if (!stream.readable) {
      return giveUp()
    }

    // The listeners stay attached. After a rejection the rest of the upload is read, and must change nothing.
    stream
      .on('data', (chunk: unknown) => {
        if (!bytes) {
          return
        }
        // The delivery is answered already, so the rest must not take memory.
        if (time.aborted) {
          return giveUp()
        }
        // After setEncoding() chunks are strings, and the exact bytes are lost.
        const isText = !(chunk instanceof Uint8Array)
        if (isText || size + chunk.length > maxBytes) {
          stream.pause()
          return settle(isText ? 'body_already_read' : 'body_too_large')
        }
        try {
          bytes = append(bytes, size, chunk, maxBytes)
        } catch {
          // There is no memory for it. An error of a listener would end the process.
          return giveUp()
        }
        size += chunk.length
      })
      .on('end', () => {
        const isWhole = size === Number(declaredLength ?? size)
        if (bytes && isWhole) {
          settle(size < bytes.length ? bytes.subarray(0, size) : bytes)
        } else {
          giveUp()
        }
      })
      .on('error', giveUp)
      .on('close', giveUp)
      // Without this, a stream that was paused earlier would never start.
      .resume()
  })
}

const nothing = new Uint8Array(0)

/** Appends a chunk to one buffer that doubles, up to `maxBytes`. */
function append(bytes: Uint8Array, size: number, chunk: Uint8Array, maxBytes: number): Uint8Array {
  const needed = size + chunk.length
  if (needed <= bytes.length) {
    bytes.set(chunk, size)
    return bytes
  }
  const capacity = Math.min(maxBytes, Math.max(needed, 2 * bytes.length))
  return Buffer.concat([bytes.subarray(0, size), chunk], capacity)
}
