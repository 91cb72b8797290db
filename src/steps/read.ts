import { type Code, codes } from '../codes.js'
import { ConfigurationError, Rejection } from '../errors.js'
import type { Pipeline } from '../options/settings.js'
import type { ReadBody, ReceiveRequest } from '../request.js'
import { Deadline } from '../timing/deadline.js'

/**
 * Reads the exact bytes, with limits for size and time. Throws `ConfigurationError` `body_not_bytes` if `body` is
 * neither bytes nor a function.
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

export const tooLarge = (maxBodyBytes: number) =>
  new Rejection('body_too_large', `maxBodyBytes is ${maxBodyBytes}`)
