import { sha256 } from '#crypto'
import { type Code, oneLine } from '../codes.js'
import { fullMessage } from '../error-text.js'
import { HandlerFailure, JobNotDone } from '../errors.js'
import { normalizeMessage } from './normalize-message.js'
import { placeOf } from './stack-place.js'

/** Why an event failed. Events that failed for the same cause have the same fingerprint. */
export interface FailureCause {
  /** A code, or 24 hex digits. */
  readonly fingerprint: string
  /** The class of the error and its message, without ids, numbers and other values. Or the code. */
  readonly title: string
  /** Where the user’s code threw it: the function and the file. */
  readonly place?: string
  readonly code?: Code
}

/**
 * The cause of a failure. Takes any thrown value, or the stored text of an error. Never rejects: an error may be a proxy, and
 * its getters may throw.
 *
 * @example
 * const { fingerprint, title } = await fingerprintOf(new Error('the ledger is closed'))
 */
export async function fingerprintOf(error: unknown): Promise<FailureCause> {
  const { thrown, code } = unwrap(error)
  if (thrown === undefined && code !== undefined) {
    return causeOfCode(code, readText(error, 'detail'))
  }
  const message = messageOf(thrown)
  const name = oneLine(readText(thrown, 'name') ?? '', 60)
  const kind = readText(thrown, 'code') ?? readText(read(thrown, 'cause'), 'code') ?? ''
  const text = [name, normalizeMessage(message)].filter(Boolean).join(': ') || 'an error without a message'
  // The code of an error of Node or of a database. It distinguishes causes with the same message.
  const isTold = !/^[A-Z0-9_]{3,40}$/.test(kind) || text.includes(kind)
  const below = kind === '' ? messageOfCause(thrown, message) : ''
  const title = oneLine(isTold ? `${text}${below}` : `${text} (${kind})`)
  const place = placeOf(readText(thrown, 'stack') ?? '', readText(thrown, 'message') ?? message)
  const known = code ?? (isObject(thrown) ? 'handler_failed' : undefined)
  return {
    fingerprint: await hash(title, place ?? ''),
    title,
    ...(place !== undefined && { place: oneLine(place) }),
    ...(known && { code: known }),
  }
}

/**
 * The cause of a failure that has no error. `detail` says what the code is about, such as the part of the event that does
 * not fit its schema. Without it the fingerprint is the code.
 */
export async function causeOfCode(code: Code, detail = ''): Promise<FailureCause> {
  const text = normalizeMessage(detail)
  const title = text ? oneLine(`${code}: ${text}`) : code
  return { fingerprint: text ? await hash(title, '') : code, title, code }
}

const hash = async (...parts: string[]) => (await sha256(JSON.stringify(parts))).slice(0, 24)

/** The original error inside the errors of this package, and the code that one of them has. */
function unwrap(error: unknown): { readonly thrown: unknown; readonly code?: Code } {
  try {
    if (error instanceof HandlerFailure) {
      return { thrown: error.cause, code: 'handler_failed' }
    }
    if (error instanceof JobNotDone) {
      const { code, cause, message } = error
      return code === undefined ? { thrown: message } : { thrown: cause, code }
    }
  } catch {
    // A proxy.
  }
  return { thrown: error }
}

const isObject = (value: unknown) =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

function messageOf(thrown: unknown): string {
  if (!isObject(thrown)) {
    return String(thrown)
  }
  try {
    return thrown instanceof Error ? String(fullMessage(thrown)) : (readText(thrown, 'message') ?? '')
  } catch {
    return ''
  }
}

/** `fetch failed` alone is no cause. Only for an error without a code, which tells causes apart already. */
function messageOfCause(thrown: unknown, own: string): string {
  const cause = read(thrown, 'cause')
  const message = isObject(cause) ? messageOf(cause) : ''
  return message && !own.includes(message) ? `; cause: ${normalizeMessage(message)}` : ''
}

/** A property that is a string. `undefined` for another type, or if it cannot be read. */
function readText(value: unknown, name: string): string | undefined {
  const text = read(value, name)
  return typeof text === 'string' ? text : undefined
}

function read(value: unknown, name: string): unknown {
  try {
    return isObject(value) ? (value as Record<string, unknown>)[name] : undefined
  } catch {
    return undefined
  }
}
