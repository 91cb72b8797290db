import { type Code, codes } from '../codes.js'
import { ConfigurationError, Refusal } from '../errors.js'
import { header, type ReceiveRequest } from '../request.js'

/** What the headers alone can be refused for, before a byte of the body is read. */
export function admit(request: ReceiveRequest, maxBodyBytes: number): Refusal | undefined {
  if ((request.method ?? 'POST') !== 'POST') return new Refusal('method_not_allowed', request.method)

  if (!jsonType.test(single(request, 'content-type'))) return new Refusal('unsupported_media_type')

  const encoding = single(request, 'content-encoding').trim().toLowerCase()
  if (encoding !== '' && encoding !== 'identity') return new Refusal('unsupported_content_encoding')

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

/** Reads the exact bytes, bounded. Throws `ConfigurationError` `body_not_bytes` where the program has none to give. */
export async function readBody(request: ReceiveRequest, maxBodyBytes: number): Promise<Uint8Array | Refusal> {
  const body = typeof request.body === 'function' ? await readWith(request.body, maxBodyBytes) : request.body
  if (body instanceof Refusal) return body
  if (!(body instanceof Uint8Array)) {
    throw new ConfigurationError(
      'body_not_bytes',
      'receive takes the raw bytes, or a function that reads them',
    )
  }
  return body.length > maxBodyBytes ? tooLarge(maxBodyBytes) : body
}

async function readWith(read: Exclude<ReceiveRequest['body'], Uint8Array>, maxBodyBytes: number) {
  try {
    const body = await read(maxBodyBytes)
    return typeof body === 'string' && Object.hasOwn(codes, body) ? new Refusal<Code>(body) : body
  } catch (cause) {
    return new Refusal('body_incomplete', undefined, cause)
  }
}

const tooLarge = (maxBodyBytes: number) => new Refusal('body_too_large', `maxBodyBytes is ${maxBodyBytes}`)
