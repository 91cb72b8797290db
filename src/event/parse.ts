import { PayloadError } from '../errors.js'
import { toBytes } from '../signature/verify-signature.js'
import { camelCaseEnvelope, snakeCaseEnvelope } from './envelope.js'
import type { WebhookEvent } from './event.js'
import { placeOf, withNumbersAsText } from './inexact-place.js'
import { isPlain, type NumberInText, scanJson } from './json-scan.js'
import { camelizeKeys, Walk } from './normalize.js'

/**
 * Parses the body of a delivery as an event, in either envelope. A string is encoded as UTF-8, as `verifySignature` does.
 *
 * This does not authenticate the sender: verify first. Throws `PayloadError` (`invalid_encoding`, `invalid_json`,
 * `invalid_envelope`, `invalid_data` for a number that JavaScript cannot represent exactly) and `ConfigurationError`
 * `body_not_bytes`.
 *
 * @example
 * const event = parseEvent(body)
 * console.log(event.id, event.type, event.data)
 */
export function parseEvent(body: Uint8Array | string): WebhookEvent {
  return readEvent(toBytes(body), 'refuse').event
}

/** What to do with a number that JavaScript cannot represent exactly: `refuse` the event, or `round` with a warning. */
export type InexactNumbers = 'refuse' | 'round'

export interface ReadEvent {
  readonly event: WebhookEvent
  /** What the event was read from, which is stored. User code may change its copy `event.raw`. */
  readonly body: Uint8Array
  /** Unusual but valid parts of the event, for the operator. */
  readonly warnings: string[]
  /** What the content hash covers: the data, and with rounded numbers also their texts. */
  readonly content: unknown
}

/** Like {@link parseEvent}, but also returns the warnings. */
export function readEvent(body: Uint8Array, inexactNumbers: InexactNumbers): ReadEvent {
  const text = decodeUtf8(body)
  const document = parseObject(text)
  const walk = new Walk()
  const event = camelizeKeys(document, walk) as Record<string, unknown>
  let content = event.data
  if (!isPlain(body, walk.keys)) {
    const inexact = lookCloser(text, walk, inexactNumbers)
    if (inexact.length > 0) {
      content = contentOf(text, event.data, inexact)
    }
  }

  const representation = checkEnvelope(document)
  if (!utc.test(event.createdAt as string)) {
    walk.warn('createdAt is not in UTC')
  }
  for (const name of ownFields) {
    if (Object.hasOwn(event, name)) {
      walk.warn(`${name} was left out`)
    }
  }
  event.representation = representation
  // `body.slice()` would not copy a Buffer: it returns a view of the same memory.
  event.raw = Uint8Array.prototype.slice.call(body)
  return { event: event as unknown as WebhookEvent, body, warnings: walk.warnings, content }
}

/** Like {@link readEvent}, but returns the `PayloadError` for an unreadable body. */
export function tryReadEvent(body: Uint8Array, inexactNumbers: InexactNumbers): ReadEvent | PayloadError {
  try {
    return readEvent(body, inexactNumbers)
  } catch (error) {
    if (error instanceof PayloadError) {
      return error
    }
    throw error
  }
}

/** The id of a body that is no event for another reason, if it has the form of an id. */
export function idOfBody(body: Uint8Array): string | undefined {
  try {
    return camelCaseEnvelope.shape.id.safeParse(parseObject(decodeUtf8(body)).id).data
  } catch {
    return undefined
  }
}

/** Fields of an event that do not come from the body. A field of the body with such a name is dropped. */
const ownFields = ['representation', 'raw']

const utc = /(?:Z|[+-]00:00)$/

// `ignoreBOM` keeps a byte order mark in the text, so that JSON.parse rejects it (RFC 8259, 8.1).
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeUtf8(body: Uint8Array): string {
  try {
    return utf8.decode(body)
  } catch {
    throw new PayloadError('invalid_encoding')
  }
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The message of JSON.parse quotes the body, so it is dropped.
    throw new PayloadError('invalid_json')
  }
  if (!isObject(value)) {
    throw new PayloadError('invalid_envelope', 'the body is not an object')
  }
  return value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Finds duplicate keys and rounded numbers, which `JSON.parse` does not report. Returns the rounded numbers.
 */
function lookCloser(text: string, walk: Walk, inexactNumbers: InexactNumbers): readonly NumberInText[] {
  const { repeatsAtTop, repeatedKeys, inexact } = scanJson(text)
  if (repeatsAtTop) {
    throw new PayloadError('invalid_json', 'a top-level key is given twice')
  }
  if (inexact.length > 0) {
    if (inexactNumbers === 'refuse') {
      throw new PayloadError('invalid_data', `JavaScript cannot represent ${placeOf(text, inexact)} exactly`)
    }
    const huge = inexact.filter(({ literal }) => !Number.isFinite(Number(literal)))
    if (huge.length > 0) {
      throw new PayloadError(
        'invalid_data',
        `${placeOf(text, huge)} is too large for JavaScript, even rounded`,
      )
    }
    walk.warn(
      `JavaScript cannot represent ${placeOf(text, inexact)} exactly: it was rounded${andOthers(inexact.length - 1)}`,
    )
  }
  for (const place of repeatedKeys) {
    walk.warn(`${place} is given twice: the last value was taken`)
  }
  return inexact
}

const andOthers = (count: number): string =>
  count === 0 ? '' : count === 1 ? ', and so was 1 other number' : `, and so were ${count} other numbers`

/**
 * Returns the data together with the data in which each rounded number is replaced by its text. With both, a rounded
 * number and a string with the same characters give different content.
 */
function contentOf(text: string, data: unknown, rounded: readonly NumberInText[]): unknown {
  const document: object = JSON.parse(withNumbersAsText(text, rounded))
  return [data, (camelizeKeys(document, new Walk()) as Record<string, unknown>).data]
}

function checkEnvelope(document: Record<string, unknown>): WebhookEvent['representation'] {
  const isCamel = Object.hasOwn(document, 'createdAt')
  if (!isCamel && !Object.hasOwn(document, 'created_at')) {
    throw new PayloadError('invalid_envelope', 'createdAt (or created_at) is missing')
  }
  const { error } = (isCamel ? camelCaseEnvelope : snakeCaseEnvelope).safeParse(document)
  if (error) {
    // The schemas give every message, so it quotes no value.
    const faults = new Set(error.issues.map(({ path, message }) => `${path.join()} ${message}`))
    throw new PayloadError('invalid_envelope', [...faults].join(', '))
  }
  if (!isObject(document.data)) {
    throw new PayloadError('invalid_envelope', 'data must be an object')
  }
  return isCamel ? 'camelCase' : 'snake_case'
}
