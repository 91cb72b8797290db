import type { Envelope } from '../options/options.js'
import { snakeCaseKeys } from '../snake-case.js'
import { timestamp } from '../timestamp.js'

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
  const createdAt = timestamp(event.createdAt)
  const data: unknown = JSON.parse(event.data)
  const body =
    envelope === 'camelCase'
      ? { id, type, environment: 'sandbox', createdAt, data }
      : { id, type, product, created_at: createdAt, data: snakeCaseKeys(data) }
  return Buffer.from(JSON.stringify(body))
}
