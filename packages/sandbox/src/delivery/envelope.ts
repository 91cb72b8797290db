import type { Envelope } from '../options.js'

export interface EventFields {
  readonly id: string
  readonly type: string
  /** Unix milliseconds. */
  readonly createdAt: number
  /** As JSON. */
  readonly data: string
  readonly product: string
}

/** The body of an event in one of the two representations of the service interface, as the bytes that are sent. */
export function envelopeBytes(envelope: Envelope, event: EventFields): Buffer {
  const { id, type, product } = event
  const createdAt = new Date(event.createdAt).toISOString()
  const data: unknown = JSON.parse(event.data)
  const body =
    envelope === 'camelCase'
      ? { id, type, environment: 'sandbox', createdAt, data }
      : { id, type, product, created_at: createdAt, data: snakeCaseKeys(data) }
  return Buffer.from(JSON.stringify(body))
}

/** Keys below `metadata` belong to the user and stay as they are. So does a key that is not camelCase. */
function snakeCaseKeys(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(snakeCaseKeys)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) =>
      key === 'metadata' ? [key, entry] : [snakeCase(key), snakeCaseKeys(entry)],
    ),
  )
}

const camelCase = /^[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+$/

const snakeCase = (key: string) =>
  camelCase.test(key) ? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : key
