import type { ServiceEvent } from 'webhook-inbox-client/schemas'
import type { deliveryRecord } from './control/control-records.js'
import type { DeliveryFilter } from './delivery/find-attempt.js'
import type { NewSubscription } from './delivery/subscriptions.js'
import type { SeenDelivery } from './sightings.js'

/** A running sandbox. */
export interface Sandbox {
  /** The base of everything, such as `http://127.0.0.1:41234`. The API is at `${url}/v1`. */
  readonly url: string
  /** The key that may do everything. */
  readonly apiKey: string
  /** The same service without a port. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Subscribes a receiver. Rejects with `SubscriptionError` if this is not possible. */
  subscribe(request: NewSubscription): Promise<{ id: string; secret: string }>
  /**
   * Emits an event without a state change, to every subscription that wants it. `data` of a known type is completed
   * with defaults.
   */
  emit(type: string, data?: Readonly<Record<string, unknown>>): Promise<ServiceEvent>
  /** Advances the clock. Waits for everything that becomes due within that time. */
  advance(duration: Duration): Promise<void>
  /**
   * Resolves with the first attempt that has ended and matches, past or future. Rejects with `Error` after
   * `timeoutSeconds` (default 5), and when the sandbox is closed.
   */
  waitForDelivery(
    filter?: DeliveryFilter,
    options?: { readonly timeoutSeconds?: number | undefined },
  ): Promise<SeenDelivery>
  /** Delivers an event again, `times` (default 1) for each subscription. Resolves after the attempt of each. */
  replay(
    eventId: string,
    options?: {
      readonly times?: number | undefined
      readonly concurrent?: boolean | undefined
      readonly signature?: 'fresh' | 'original' | undefined
      /** Sends another event with the same type and data, under a new identifier. Default false. */
      readonly newId?: boolean | undefined
    },
  ): Promise<DeliveryRecord[]>
  /** Resolves when nothing is due by the sandbox's clock and nothing is running. */
  idle(): Promise<void>
  /** The subscriptions that `forwardTo` made. */
  readonly forwarding: readonly {
    readonly url: string
    readonly id: string
    readonly secret: string
    /** False for a secret that you gave. Do not print such a secret. */
    readonly isSecretMade: boolean
  }[]
  /** Ends every connection and closes the database. */
  close(): Promise<void>
}

export type { NewSubscription }

/** A duration: the sum of its fields. */
export interface Duration {
  readonly days?: number | undefined
  readonly hours?: number | undefined
  readonly minutes?: number | undefined
  readonly seconds?: number | undefined
}

/** One event for one subscription. */
export type DeliveryRecord = ReturnType<typeof deliveryRecord>
