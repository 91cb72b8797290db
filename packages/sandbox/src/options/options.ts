import type { SignatureScheme } from 'webhook-inbox'
import type { KnownEventType } from 'webhook-inbox-client/schemas'
import type { GivenTransitions, Transitions } from '../bank/states.js'
import type { RetrySchedule } from './retry-schedule.js'

export const products = ['mobile_money', 'digital_banking', 'stablecoins'] as const
export type Product = (typeof products)[number]

/** The event types that changes of state emit. */
export const emittedTypes = [
  'transfer.settled',
  'transfer.failed',
  'approval.updated',
  'ledger.matched',
] as const satisfies readonly KnownEventType[]

export type Envelope = 'camelCase' | 'snake_case'

/** The options of a sandbox. Every option has a default. */
export interface SandboxOptions {
  /** Default 4010. 0 takes a free port. */
  readonly port?: number | undefined
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined
  /** A SQLite file that keeps everything over restarts. Default: in memory. */
  readonly state?: string | undefined
  /** The same seed gives the same identifiers and secrets. Default 1. */
  readonly seed?: number | undefined
  /** The time of a `virtual` clock changes only with `advance`. Default `real`. */
  readonly clock?: 'real' | 'virtual' | undefined
  /** The key that may do everything. Default `sk_sandbox_local`. */
  readonly apiKey?: string | undefined

  /** Which transfer shapes are accepted. Default `both`. */
  readonly shape?: 'both' | 'a' | 'b' | undefined
  /** The unit of the amount in shape B. `minor` takes whole numbers only. Default `major`. */
  readonly shapeBUnit?: 'major' | 'minor' | undefined
  /** The case of the keys in responses. `follow-envelope` uses the case of `envelope`. Default `camel`. */
  readonly responseCase?: 'camel' | 'snake' | 'follow-envelope' | undefined
  /** The paths of subscriptions: with the prefix `/v1`, without it, or both. Default `both`. */
  readonly prefix?: 'both' | 'v1' | 'none' | undefined
  /** The status if an Idempotency-Key comes again with another body. Default 422. */
  readonly idempotencyConflict?: 422 | 409 | 400 | undefined
  /** Maximum API requests per second for each key. Further requests get 429. Default: no limit. */
  readonly requestsPerSecond?: number | undefined
  /** Sends the header `Deprecation` with this date, such as `2027-01-31`, on every response of the API. Default: none. */
  readonly deprecation?: string | undefined

  /** The product line: which ordinary rails exist, and what the snake_case envelope says. Default `mobile_money`. */
  readonly product?: Product | undefined
  /** Seconds from the creation of an ordinary transfer to its settlement. Default 0.1. */
  readonly settleAfterSeconds?: number | undefined
  /**
   * Which states follow a state that is not final. A list for a state replaces its default list. If the rail of a transfer
   * needs another transition, the transfer keeps its state. Default: `transitions` of the table of gaps (G8).
   */
  readonly transitions?: GivenTransitions | undefined
  /** The event types that changes of state emit. Default: all four that the interface names. */
  readonly emissions?: readonly KnownEventType[] | undefined

  /** Receivers that are subscribed to every event from the start, and after each reset. Default: none. */
  readonly forwardTo?: readonly string[] | undefined
  /** The envelope of subscriptions that do not name one. Default `camelCase`. */
  readonly envelope?: Envelope | undefined
  /** The signing secret of every subscription that does not bring one. Default: one a subscription, from the seed. */
  readonly secret?: string | undefined
  /** How deliveries are signed. Default: the default of webhook-inbox. */
  readonly scheme?: SignatureScheme | undefined
  /**
   * When failed deliveries are retried: `fast` (1, 2, 5, 10, 30 s), `standard` (5 s to 24 h, ten attempts),
   * `none`, or the pauses in seconds. Default `fast`.
   */
  readonly retry?: RetrySchedule | undefined
  /** Moves each pause of the schedule by up to 10 % either way, as the seed says. Default false. */
  readonly jitter?: boolean | undefined
  /** Seconds that one delivery attempt may take. Default 15. */
  readonly timeoutSeconds?: number | undefined
  /** Disables a subscription once this many of its deliveries in a row are exhausted. Default: never. */
  readonly disableAfter?: number | undefined
  /** Rejects `http:` targets, on loopback too. Default false. */
  readonly strictHttps?: boolean | undefined
  /** Allows `https:` targets outside this machine. Default false. */
  readonly allowRemote?: boolean | undefined
}

/** Options without a default, which stay undefined. */
type Absent = 'secret' | 'scheme' | 'requestsPerSecond' | 'deprecation' | 'disableAfter'

/** The options with their defaults, checked. */
export type Options = {
  readonly [Name in Exclude<keyof SandboxOptions, Absent | 'retry' | 'transitions'>]-?: NonNullable<
    SandboxOptions[Name]
  >
} & Pick<SandboxOptions, Absent> & {
    /** Seconds before each further attempt. */
    readonly retrySeconds: readonly number[]
    readonly transitions: Transitions
  }

/** A key that can only read, so that a program can test its handling of 403. */
export const readonlyKey = 'sk_sandbox_readonly'
