import { invalidOption, PayloadError } from '../errors.js'
import type { KnownEvents } from '../event/catalog.js'
import type { WebhookEvent } from '../event/event.js'
import { parseEvent } from '../event/parse.js'
import { givenOptions, readable, requireObject } from '../given-options.js'
import { type Delivery, type SignOptions, sign, signOptions, timeOf } from './delivery.js'
import { sampleData } from './samples.js'
import { snakeCaseKeys } from './snake-case.js'

/** Options of a fixture. */
export interface FixtureOptions extends SignOptions {
  /** The event id. Default: a new `evt_<id>`. */
  readonly id?: string | undefined
  /** When the event happened, RFC 3339 or a `Date`. Default: `now`. */
  readonly createdAt?: string | Date | undefined
  /** Which of the two envelopes to write. Default `'camelCase'`. */
  readonly representation?: WebhookEvent['representation'] | undefined
  /** Default `'sandbox'` in the camelCase envelope; absent in the other, which does not carry it. */
  readonly environment?: string | undefined
  /** Default `'mobile_money'` in the snake_case envelope; absent in the other, which does not carry it. */
  readonly product?: string | undefined
}

/** Fields that replace those of the sample data. `undefined` removes a field. */
export type Overrides<Data> = { readonly [Key in keyof Data]?: Data[Key] | undefined }

/** The data of an event type: typed for types of the service interface, `unknown` for others. */
export type FixtureData<Type extends string> = Type extends keyof KnownEvents ? KnownEvents[Type] : unknown

type GivenData<Type extends string> = Type extends keyof KnownEvents ? Overrides<KnownEvents[Type]> : object

/**
 * Returns a signed delivery of a valid event. Types of the service interface have sample data, and `data` replaces single
 * fields. Other types use `data` as it is. The same `id`, `createdAt` (or `now`) and data give the same bytes.
 *
 * Rejects with `PayloadError` when the options make no valid event; sign such a body with {@link deliveryOf}. Rejects with
 * `ConfigurationError` when it cannot be signed.
 *
 * @example
 * const delivery = await fixture('transfer.settled', { data: { transferId: 'tr_1' }, secret })
 */
export function fixture<Type extends keyof KnownEvents | (string & {})>(
  type: Type,
  options?: FixtureOptions & { readonly data?: GivenData<Type> | undefined },
): Promise<Delivery<Type, FixtureData<Type>>>
export async function fixture<Type extends keyof KnownEvents | (string & {})>(
  type: Type,
  options: FixtureOptions & { readonly data?: GivenData<Type> | undefined } = {},
  ...more: unknown[]
): Promise<Delivery<Type, FixtureData<Type>>> {
  // As `send` of a sender takes them. The data would be taken for the options.
  if (more.length > 0) {
    throw invalidOption('fixture takes a type and options; pass the data as options.data')
  }
  givenOptions('fixture', options, fixtureOptions)
  const { id = freshEventId() } = options
  // JSON.stringify throws for a bigint or a circle.
  const body = readable('data', () => Buffer.from(JSON.stringify(envelope(type, id, options))))
  const event = parseOwn(body) as WebhookEvent<Type, FixtureData<Type>>
  return { event, ...(await sign(body, { ...options, id })) }
}

/** The names of {@link FixtureOptions}, and `data`. */
export const fixtureOptions = [
  ...signOptions,
  ...(['id', 'createdAt', 'representation', 'environment', 'product', 'data'] as const),
]

/** The program of the test made the event, so it must act, and not a sender. */
function parseOwn(body: Uint8Array): WebhookEvent {
  try {
    return parseEvent(body)
  } catch (error) {
    if (!(error instanceof PayloadError)) {
      throw error
    }
    const { code, detail } = error
    const page = 'node_modules/webhook-inbox/docs/codes.md#what-an-event-must-look-like'
    throw new PayloadError(
      code,
      detail,
      `${code}: these arguments make no valid event (${detail}); fix: correct the argument that the text in parentheses names; see ${page}`,
    )
  }
}

const freshEventId = () => `evt_${crypto.randomUUID().replaceAll('-', '')}`

function envelope(
  type: string,
  id: string,
  options: FixtureOptions & { readonly data?: object | undefined },
): object {
  const { representation = 'camelCase', environment, product } = options
  if (typeof type !== 'string' || typeof id !== 'string') {
    throw invalidOption('type and id must be strings')
  }
  if (representation !== 'camelCase' && representation !== 'snake_case') {
    throw invalidOption("representation must be 'camelCase' or 'snake_case'")
  }
  if (options.data !== undefined) {
    requireObject('data', options.data)
  }
  const createdAt = timestampOf(options)
  const data = { ...sampleData(type, id), ...options.data }
  if (representation === 'camelCase') {
    return { id, type, environment: environment ?? 'sandbox', product, createdAt, data }
  }
  // A round trip through JSON first, because `toJSON` decides which keys a value has.
  const wireData = snakeCaseKeys(JSON.parse(JSON.stringify(data)))
  return { id, type, environment, product: product ?? 'mobile_money', created_at: createdAt, data: wireData }
}

/** Throws `ConfigurationError` `invalid_option` for a time that RFC 3339 cannot express. */
function timestampOf({ createdAt, now }: FixtureOptions): string {
  const isGiven = typeof createdAt === 'string' || createdAt instanceof Date
  if (createdAt !== undefined && !isGiven) {
    throw invalidOption('createdAt must be RFC 3339 or a Date')
  }
  const time = new Date(createdAt ?? timeOf(now) * 1000)
  if (Number.isNaN(time.getTime())) {
    throw invalidOption(`${createdAt === undefined ? 'now' : 'createdAt'} is not a valid time`)
  }
  return time.toISOString()
}
