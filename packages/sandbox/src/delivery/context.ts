import type { SignatureScheme } from 'webhook-inbox'
import type { Clock } from '../clock.js'
import type { Database } from '../database/open.js'

export type Envelope = 'camelCase' | 'snake_case'

/** The options of the sandbox that delivery needs. */
export interface DeliveryOptions {
  readonly seed: number
  /** The envelope of subscriptions that do not name one. */
  readonly envelope: Envelope
  /** The product line that the snake_case envelope names. */
  readonly product: string
  /** Seconds before each further attempt. */
  readonly retrySeconds: readonly number[]
  /** Seconds that one attempt may take. */
  readonly timeoutSeconds: number
  /** Refuses `http:` targets, on loopback too. */
  readonly strictHttps: boolean
  /** Allows `https:` targets outside this machine. */
  readonly allowRemote: boolean
  /** The secret of every subscription that does not bring one. Default: one for each, from the seed. */
  readonly secret?: string | undefined
  readonly scheme?: SignatureScheme | undefined
}

export interface DeliveryContext {
  readonly database: Database
  readonly clock: Clock
  readonly ids: { next(prefix: 'evt' | 'dlv' | 'whe'): string }
  readonly options: DeliveryOptions
}
