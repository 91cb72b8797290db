import { Rejection } from '../errors.js'
import { type HeaderValue, header, type ReceiveRequest } from '../request.js'
import { parseSignatureHeader, type SignatureHeader } from '../signature/header.js'
import { tooLarge } from './read.js'

/** The headers that later steps need, each looked up once. */
export interface Admitted {
  readonly signature: SignatureHeader
  /** Service-Event-Id. Nothing signs it. */
  readonly eventId: HeaderValue
}

/** Checks the headers, before the body is read and before a secret is loaded. */
export function admit(request: ReceiveRequest, maxBodyBytes: number): Admitted | Rejection {
  if ((request.method ?? 'POST') !== 'POST') {
    return new Rejection('method_not_allowed', request.method)
  }

  const type = single(request, 'content-type')
  if (!jsonType.test(type)) {
    return new Rejection('unsupported_media_type')
  }
  const charset = [...type.matchAll(charsets)].map(([, name]) => name).find((name = '') => !utf8.test(name))
  if (charset !== undefined) {
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

/** Every one, because another reader may take the last of several. */
const charsets = /;\s*charset\s*=\s*["']?([^"';\s]*)/gi
const utf8 = /^utf-?8$/i

function single(request: ReceiveRequest, name: string): string {
  const value = header(request, name)
  if (typeof value === 'string') {
    return value
  }
  return Array.isArray(value) ? value.join(',') : ''
}
