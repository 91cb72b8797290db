import type { EventsOf } from '../dispatch/handlers.js'
import type { Receiver } from '../receiver.js'
import { type Answer, inProcess, overHttp } from './answer.js'
import { type Delivery, type SignedBody, type SignOptions, signAgain } from './delivery.js'
import { type FixtureOptions, fixture, type Overrides } from './fixture.js'
import { shuffle } from './shuffle.js'

/** Where deliveries go: a receiver in this process, or a url over real HTTP. */
export type Target =
  | {
      readonly receiver: Pick<Receiver, 'receive'>
      /** What a secret resolver sees as the request’s url. */
      readonly url?: string
    }
  | { readonly url: string | URL; readonly receiver?: never }

export type TestSenderOptions = Target &
  Pick<FixtureOptions, 'secret' | 'scheme' | 'now' | 'representation'> & {
    /** Headers to send with every delivery beside its own, such as the key of a gateway on the way. */
    readonly headers?: Readonly<Record<string, string>>
    /** How long an answer over HTTP may take before the sender gives up with a `TimeoutError`. Default 15 s. */
    readonly timeoutSeconds?: number
  }

/** Types that can be sent: the interface’s, and those of the user’s own map. */
export type SendableType<Events extends object> = keyof EventsOf<Events, object> & string
export type SendableData<Events extends object, Type extends SendableType<Events>> = EventsOf<
  Events,
  object
>[Type]

/** Data is needed in full for the user’s own types; the interface’s have sample data to put it over. */
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

/** Plays the part of the service: signs events and delivers them, once, again, at once or out of order. */
export interface TestSender<Events extends object = object> {
  /** What `send` would deliver, for tampering with it first. */
  prepare<Type extends SendableType<Events>>(
    type: Type,
    ...rest: SendArguments<Events, Type>
  ): Promise<DeliveryOf<Events, Type>>
  /** Signs and delivers an event. */
  send<Type extends SendableType<Events>>(
    type: Type,
    ...rest: SendArguments<Events, Type>
  ): Promise<Answer<DeliveryOf<Events, Type>>>
  /** Delivers what is ready, as it is: a {@link fixture}, or one that was tampered with. */
  deliver<D extends SignedBody>(delivery: D): Promise<Answer<D>>
  /** Delivers an event again as the service does: same id, same bytes, a new `t`. Takes an answer of `send`, too. */
  redeliver<D extends SignedBody>(
    previous: D | Answer<D>,
    options?: Pick<SignOptions, 'ageSeconds'>,
  ): Promise<Answer<D>>
  /** Delivers one event so many times at once. */
  concurrent<Type extends SendableType<Events>>(
    count: number,
    type: Type,
    ...rest: SendArguments<Events, Type>
  ): Promise<Answer<DeliveryOf<Events, Type>>[]>
  /** Delivers one after the other, in another order that follows from `seed` (default 1). Answers come in that order. */
  reorder<D extends SignedBody>(
    deliveries: readonly D[],
    options?: { readonly seed?: number },
  ): Promise<Answer<D>[]>
}

/**
 * A sender for tests, typed by the event map of the receiver: `testSender<Events>({ url })`. What cannot be delivered,
 * as when nothing listens at `url`, rejects with the error of `fetch`.
 */
export function testSender<Events extends object = object>(options: TestSenderOptions): TestSender<Events> {
  const { receiver, url, headers = {}, timeoutSeconds = 15, ...signing } = options
  const deliver = receiver
    ? inProcess(receiver, headers, url)
    : overHttp(url as string | URL, headers, timeoutSeconds)

  const prepare = (type: string, data: object = {}, each: FixtureOptions = {}) =>
    fixture(type, { ...signing, ...each, data })

  const sender: TestSender = {
    prepare: prepare as TestSender['prepare'],
    send: (async (type: string, data?: object, each?: FixtureOptions) =>
      deliver(await prepare(type, data, each))) as TestSender['send'],
    deliver,
    async redeliver<D extends SignedBody>(previous: D | Answer<D>, each = {}) {
      const delivery = 'delivery' in previous ? previous.delivery : previous
      return deliver(await signAgain(delivery, { ...signing, ...each }))
    },
    concurrent: (async (count: number, type: string, data?: object, each?: FixtureOptions) => {
      const delivery = await prepare(type, data, each)
      return Promise.all(Array.from({ length: count }, () => deliver(delivery)))
    }) as TestSender['concurrent'],
    async reorder(deliveries, { seed } = {}) {
      const answers = []
      for (const delivery of shuffle(deliveries, seed)) {
        answers.push(await deliver(delivery))
      }
      return answers
    },
  }
  return sender as unknown as TestSender<Events>
}
