import { ConfigurationError, PayloadError } from '../errors.js'
import { camelCaseEnvelope, snakeCaseEnvelope } from './envelope.js'
import type { WebhookEvent } from './event.js'
import { scanJson } from './json-scan.js'
import { camelCase, camelizeKeys } from './normalize.js'

/**
 * Reads the bytes of a delivery as one event, whichever envelope they use.
 *
 * It proves nothing about the sender: verify first. Throws `PayloadError` (`invalid_encoding`, `invalid_json`,
 * `invalid_envelope`, `invalid_data` for a number that a double cannot hold) and `ConfigurationError`
 * `body_not_bytes`.
 */
export function parseEvent(body: Uint8Array): WebhookEvent {
  if (!(body instanceof Uint8Array))
    throw new ConfigurationError('body_not_bytes', 'parseEvent takes the raw bytes')
  return readEvent(body, 'refuse').event
}

/** What to do with a number that a double cannot hold: `refuse` the event or `round` it with a warning. */
export type InexactNumbers = 'refuse' | 'round'

export interface ReadEvent {
  readonly event: WebhookEvent
  /** What was odd but not wrong, for the operator. */
  readonly warnings: string[]
}

/** {@link parseEvent} with its warnings. */
export function readEvent(body: Uint8Array, inexactNumbers: InexactNumbers): ReadEvent {
  const warnings: string[] = []
  const text = decodeUtf8(body)
  const document = parseObject(text)

  const scan = scanJson(text, Object.keys(document))
  if (scan.duplicateKey !== undefined)
    throw new PayloadError('invalid_json', 'a top-level key is given twice')
  if (scan.inexactNumber !== undefined) {
    if (inexactNumbers === 'refuse') throw new PayloadError('invalid_data', 'a number does not fit a double')
    warnings.push('a number does not fit a double and was rounded')
  }
  return { event: toEvent(document, body, warnings), warnings }
}

// `ignoreBOM` keeps a byte order mark in the text, where JSON.parse refuses it (RFC 8259, 8.1).
// Stryker disable next-line StringLiteral: another label fails before there is a test to notice
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
    // The message of JSON.parse quotes the body, so it goes nowhere.
    throw new PayloadError('invalid_json')
  }
  if (!isObject(value)) throw new PayloadError('invalid_envelope', 'the body is not an object')
  return value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function toEvent(document: Record<string, unknown>, raw: Uint8Array, warnings: string[]): WebhookEvent {
  const isCamel = Object.hasOwn(document, 'createdAt')
  if (isCamel === Object.hasOwn(document, 'created_at')) {
    throw new PayloadError('invalid_envelope', `${isCamel ? 'both' : 'neither'} of createdAt and created_at`)
  }
  const parsed = (isCamel ? camelCaseEnvelope : snakeCaseEnvelope).safeParse(document)
  if (!parsed.success) {
    throw new PayloadError(
      'invalid_envelope',
      parsed.error.issues.map((issue) => issue.path.join()).join(', '),
    )
  }
  if (!isObject(document.data)) throw new PayloadError('invalid_envelope', 'data')

  const { id, type, data, environment, product } = document
  const createdAt = (isCamel ? document.createdAt : document.created_at) as string
  if (!utc.test(createdAt)) warnings.push('createdAt is not in UTC')
  const event: Record<string, unknown> = { id, type, createdAt }
  if (environment !== undefined) event.environment = environment
  if (product !== undefined) event.product = product
  event.data = camelizeKeys(data, 'data', 2, warnings)
  event.representation = isCamel ? 'camelCase' : 'snake_case'
  event.raw = raw
  keepUnknownFields(document, event, warnings)
  return event as unknown as WebhookEvent
}

// Stryker disable next-line Regex: the envelope has made sure that nothing follows
const utc = /(?:Z|[+-]00:00)$/

/** Fields that the interface may add later survive beside the known ones. */
function keepUnknownFields(
  document: Record<string, unknown>,
  event: Record<string, unknown>,
  warnings: string[],
) {
  for (const key of Object.keys(document)) {
    if (envelopeFields.has(key)) continue
    const name = camelCase(key)
    if (ownFields.has(name)) warnings.push(`the top-level field ${name} was left out`)
    else if (Object.hasOwn(event, name)) throw new PayloadError('invalid_envelope', `two keys become ${name}`)
    else event[name] = camelizeKeys(document[key], name, 2, warnings, name !== 'metadata')
  }
}

const envelopeFields = new Set(['id', 'type', 'environment', 'product', 'createdAt', 'created_at', 'data'])
/** Names that a field of the wire cannot take: ours, and the one that pollutes prototypes. */
const ownFields = new Set(['raw', 'representation', '__proto__'])
