import { type Code, codes } from '../codes.js'
import { ConfigurationError, Rejection } from '../errors.js'
import type { Pipeline } from '../options/settings.js'
import { type HeaderValue, header, type ReadBody, type ReceiveRequest } from '../request.js'
import { parseSignatureHeader, type SignatureHeader } from '../signature/header.js'
import { Deadline } from '../timing/deadline.js'

/** The headers that later steps need, each looked up once. */
export interface Admitted {
  readonly signature: SignatureHeader
  /** Service-Event-Id. Nothing signs it. */
  readonly eventId: HeaderValue
}

/** Refuses what the headers alone show, before a byte of the body is read and before a secret is loaded. */
export function admit(request: ReceiveRequest, maxBodyBytes: number): Admitted | Rejection {
  if ((request.method ?? 'POST') !== 'POST') {
    return new Rejection('method_not_allowed', request.method)
  }

  const type = single(request, 'content-type')
  if (!jsonType.test(type)) {
    return new Rejection('unsupported_media_type')
  }
  const charset = /;\s*charset\s*=\s*["']?([^"';\s]*)/i.exec(type)?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    return new Rejection('unsupported_media_type', `charset=${charset}`)
  }

  const encoding = single(request, 'content-encoding').trim().toLowerCase()
  if (encoding !== '' && encoding !== 'identity') {
    return new Rejection('unsupported_content_encoding')
  }

  if (Number(single(request, 'content-length')) > maxBodyBytes) {
    return tooLarge(maxBodyBytes)
  }

  const signature = parseSignatureHeader(header(request, 'service-signature'))
  if (signature instanceof Rejection) {
    return signature
  }
  return { signature, eventId: header(request, 'service-event-id') }
}

/** `application/json` or a `+json` type (RFC 6839), with any parameters. */
const jsonType = /^\s*application\/(?:[\w!#$&^.-]+\+)?json\s*(?:;|$)/i

function single(request: ReceiveRequest, name: string): string {
  const value = header(request, name)
  if (typeof value === 'string') {
    return value
  }
  return Array.isArray(value) ? value.join(',') : ''
}

/**
 * Reads the exact bytes, within a size and a time. Throws `ConfigurationError` `body_not_bytes` when the program passes
 * something else.
 */
export function readBody(
  { maxBodyBytes, bodyTimeoutSeconds }: Pick<Pipeline, 'maxBodyBytes' | 'bodyTimeoutSeconds'>,
  { body }: ReceiveRequest,
): Uint8Array | Rejection | Promise<Uint8Array | Rejection> {
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
  if (body instanceof Rejection) {
    return body
  }
  if (typeof body === 'string' && Object.hasOwn(codes, body)) {
    return new Rejection<Code>(body)
  }
  return bounded(body as Uint8Array, maxBodyBytes)
}

const tooLarge = (maxBodyBytes: number) => new Rejection('body_too_large', `maxBodyBytes is ${maxBodyBytes}`)
