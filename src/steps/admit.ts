import { type Code, codes } from '../codes.js'
import { ConfigurationError, Rejection } from '../errors.js'
import type { Pipeline } from '../options/settings.js'
import { header, type ReadBody, type ReceiveRequest } from '../request.js'
import type { Awaitable } from '../timing/awaitable.js'
import { Deadline } from '../timing/deadline.js'

/** What the headers alone can be refused for, before a byte of the body is read. */
export function admit(request: ReceiveRequest, maxBodyBytes: number): Rejection | undefined {
  if ((request.method ?? 'POST') !== 'POST') return new Rejection('method_not_allowed', request.method)

  const type = single(request, 'content-type')
  // What the sender sends, without the search of the pattern: 0.1 us.
  if (type !== 'application/json' && !jsonType.test(type)) return new Rejection('unsupported_media_type')

  const encoding = single(request, 'content-encoding').trim().toLowerCase()
  if (encoding !== '' && encoding !== 'identity') return new Rejection('unsupported_content_encoding')

  const declared = single(request, 'content-length')
  return Number(declared) > maxBodyBytes ? tooLarge(maxBodyBytes) : undefined
}

/** `application/json` or a `+json` type (RFC 6839), with any parameters. */
const jsonType = /^\s*application\/(?:[\w!#$&^.-]+\+)?json\s*(?:;|$)/i

function single(request: ReceiveRequest, name: string): string {
  const value = header(request, name)
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.join(',') : ''
}

/**
 * Reads the exact bytes, bounded in size and time. Throws `ConfigurationError` `body_not_bytes` where the program has none
 * to give.
 */
export function readBody(
  { maxBodyBytes, bodyTimeoutSeconds }: Pick<Pipeline, 'maxBodyBytes' | 'bodyTimeoutSeconds'>,
  { body }: ReceiveRequest,
): Awaitable<Uint8Array | Rejection> {
  return typeof body === 'function'
    ? readWith(body, maxBodyBytes, bodyTimeoutSeconds)
    : bounded(body, maxBodyBytes)
}

function bounded(body: Uint8Array, maxBodyBytes: number): Uint8Array | Rejection {
  if (!(body instanceof Uint8Array)) {
    throw new ConfigurationError(
      'body_not_bytes',
      'receive takes the raw bytes, or a function that reads them',
    )
  }
  return body.length > maxBodyBytes ? tooLarge(maxBodyBytes) : body
}

async function readWith(
  read: ReadBody,
  maxBodyBytes: number,
  bodyTimeoutSeconds: number,
): Promise<Uint8Array | Rejection> {
  const time = new Deadline(bodyTimeoutSeconds)
  let body: Awaited<ReturnType<ReadBody>> | Rejection
  try {
    body = await time.race<Awaited<ReturnType<ReadBody>> | Rejection>(
      read(maxBodyBytes, time),
      () => new Rejection('body_timeout', `bodyTimeoutSeconds is ${bodyTimeoutSeconds}`),
    )
  } catch (cause) {
    return new Rejection('body_incomplete', undefined, cause)
  }
  if (body instanceof Rejection) return body
  if (typeof body === 'string' && Object.hasOwn(codes, body)) return new Rejection<Code>(body)
  return bounded(body as Uint8Array, maxBodyBytes)
}

const tooLarge = (maxBodyBytes: number) => new Rejection('body_too_large', `maxBodyBytes is ${maxBodyBytes}`)
