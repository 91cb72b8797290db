import type { EventsOf } from '../dispatch/handlers.js'
import { invalidOption } from '../errors.js'
import { givenOptions, readable, requireObject } from '../given-options.js'
import type { Receiver } from '../receiver.js'
import { type Answer, inProcess, overHttp, type Transport } from './answer.js'
import {
  checkDelivery,
  type Delivery,
  type SignedBody,
  type SignOptions,
  signAgain,
  signOptions,
} from './delivery.js'
import { type FixtureOptions, fixture, fixtureOptions, type Overrides } from './fixture.js'
import { shuffle } from './shuffle.js'

/** The target of deliveries: a receiver in this process, or a url over HTTP. */
export type Target =
  | {
      readonly receiver: Pick<Receiver, 'receive'>
      /** The request url that a secret resolver sees. */
      readonly url?: string | undefined
    }
  | { readonly url: string | URL; readonly receiver?: never | undefined }

export type TestSenderOptions = Target &
  Pick<FixtureOptions, 'secret' | 'scheme' | 'now' | 'representation'> & {
    /** Additional headers for every delivery, for example the API key of a gateway. */
    readonly headers?: Readonly<Record<string, string>> | undefined
    /** Time limit for a response over HTTP, in seconds. After it the call rejects with `TimeoutError`. Default 15. */
    readonly timeoutSeconds?: number | undefined
  }

/** Types that can be sent: those of the service interface and those of your event map. */
export type SendableType<Events extends object> = keyof EventsOf<Events, object> & string
export type SendableData<Events extends object, Type extends SendableType<Events>> = EventsOf<
  Events,
  object
>[Type]

/** Your own types need their full data. Types of the service interface have sample data. */
export type SendArguments<
  Events extends object,
  Type extends SendableType<Events>,
> = Type extends keyof Events
  ? [data: SendableData<Events, Type>, options?: FixtureOptions]
  : [data?: Overrides<SendableData<Events, Type>>, options?: FixtureOptions]

type DeliveryOf<Events extends object, Type extends SendableType<Events>> = Delivery<
  Type,
  SendableData<Events, Type>
>

/** Acts as the service: signs events and delivers them once, repeatedly, concurrently or out of order. */
export interface TestSender<Events extends object = object> {
  /** Returns what `send` would deliver, so that you can tamper with it first. */
  prepare<Type extends SendableType<Events>>(
    type: Type,
    ...rest: SendArguments<Events, Type>
  ): Promise<DeliveryOf<Events, Type>>
  /** Signs and delivers an event. */
  send<Type extends SendableType<Events>>(
    type: Type,
    ...rest: SendArguments<Events, Type>
  ): Promise<Answer<DeliveryOf<Events, Type>>>
  /** Delivers a {@link fixture} or a tampered delivery without changes. */
  deliver<D extends SignedBody>(delivery: D): Promise<Answer<D>>
  /**
   * Delivers an event again as the service does: same id, same bytes, new `t`. Takes a delivery or the result of
   * `send`.
   */
  redeliver<D extends SignedBody>(
    previous: D | Answer<D>,
    options?: Pick<SignOptions, 'ageSeconds'>,
  ): Promise<Answer<D>>
  /** Delivers one event `count` times, concurrently. */
  concurrent<Type extends SendableType<Events>>(
    count: number,
    type: Type,
    ...rest: SendArguments<Events, Type>
  ): Promise<Answer<DeliveryOf<Events, Type>>[]>
  /** Delivers one after the other in a shuffled order. `seed` (default 1) selects the order. The results have that order. */
  reorder<D extends SignedBody>(
    deliveries: readonly D[],
    options?: { readonly seed?: number | undefined },
  ): Promise<Answer<D>[]>
}

/**
 * Creates a sender for tests. It is typed by the event map of the receiver: `testSender<Events>({ url })`. Its methods
 * reject with the error of `fetch` when the request fails, for example when nothing listens at `url`.
 *
 * @example
 * const sender = testSender({ receiver, secret })
 * const { outcome } = await sender.send('transfer.settled')
 */
export function testSender<Events extends object = object>(options: TestSenderOptions): TestSender<Events> {
  const { receiver, url, headers = {}, timeoutSeconds = 15, ...signing } = checkTarget(options)
  const transport = receiver
    ? inProcess(receiver, headers, url)
    : overHttp(url as string | URL, headers, timeoutSeconds)
  const deliver: Transport = async (delivery) => {
    checkDelivery(delivery)
    return transport(delivery)
  }

  const prepare = async (type: string, data: object = {}, each: FixtureOptions = {}) =>
    fixture(type, { ...signing, ...givenOptions('send', each, fixtureOptions), data })

  const sender: TestSender = {
    prepare: prepare as TestSender['prepare'],
    send: (async (type: string, data?: object, each?: FixtureOptions) =>
      deliver(await prepare(type, data, each))) as TestSender['send'],
    deliver,
    async redeliver<D extends SignedBody>(previous: D | Answer<D>, each = {}) {
      const answered = readable('a delivery', () => (previous as Answer<D> | undefined)?.delivery)
      const delivery = answered ?? (previous as D)
      checkDelivery(delivery)
      const options = givenOptions('redeliver', each, signOptions)
      return deliver(await signAgain(delivery, { ...signing, ...options }))
    },
    concurrent: (async (count: number, type: string, data?: object, each?: FixtureOptions) => {
      if (!Number.isSafeInteger(count) || count < 1) {
        throw invalidOption('count must be a positive whole number')
      }
      const delivery = await prepare(type, data, each)
      return Promise.all(Array.from({ length: count }, () => deliver(delivery)))
    }) as TestSender['concurrent'],
    async reorder(deliveries, options = {}) {
      const { seed } = givenOptions('reorder', options, ['seed']) as typeof options
      const answers = []
      for (const delivery of shuffle(deliveries, seed)) {
        answers.push(await deliver(delivery))
      }
      return answers
    },
  }
  return sender as unknown as TestSender<Events>
}

const senderOptions = [
  ...(['receiver', 'url', 'headers', 'timeoutSeconds'] as const),
  ...(['secret', 'scheme', 'now', 'representation'] as const),
]

/** Throws `ConfigurationError` (`unknown_option`, `invalid_option`), so that a mistake is not a failed delivery. */
function checkTarget(options: TestSenderOptions): TestSenderOptions {
  givenOptions('testSender', options, senderOptions)
  const { receiver, url, headers = {}, timeoutSeconds = 15 } = options
  const isUrl = url instanceof URL || (typeof url === 'string' && URL.canParse(url))
  const receive = readable('the receiver', () => typeof receiver?.receive)
  if (receiver === undefined ? !isUrl : receive !== 'function') {
    throw invalidOption('testSender takes a receiver, or the url of a running one')
  }
  requireObject('headers', headers)
  if (!readable('headers', () => Object.values(headers).every((value) => typeof value === 'string'))) {
    throw invalidOption('headers must hold a string for each name')
  }
  if (!(typeof timeoutSeconds === 'number' && timeoutSeconds > 0 && timeoutSeconds <= 86_400)) {
    throw invalidOption('timeoutSeconds must be a positive number, at most a day')
  }
  return options
}
