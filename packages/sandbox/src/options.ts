import type { SignatureScheme } from 'webhook-inbox'
import { OptionError } from './option-error.js'
import { type RetrySchedule, resolveSchedule } from './retry-schedule.js'

export const products = ['mobile_money', 'digital_banking', 'stablecoins'] as const
export type Product = (typeof products)[number]

export type Envelope = 'camelCase' | 'snake_case'

/** What a sandbox can be started with. Every option has a default. */
export interface SandboxOptions {
  /** Default 4010. 0 takes a free port. */
  readonly port?: number
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string
  /** A SQLite file that keeps everything over restarts. Default: in memory. */
  readonly state?: string
  /** The same seed gives the same identifiers and secrets. Default 1. */
  readonly seed?: number
  /** The envelope of subscriptions that do not name one. Default `camelCase`. */
  readonly envelope?: Envelope
  /** The product line that the snake_case envelope names. Default `mobile_money`. */
  readonly product?: Product
  /**
   * When failed deliveries are tried again: `fast` (1, 2, 5, 10, 30 s), `standard` (5 s to 24 h, ten attempts),
   * `none`, or the pauses in seconds. Default `fast`.
   */
  readonly retry?: RetrySchedule
  /** Seconds from the creation of an ordinary transfer to its settlement. Default 0.1. */
  readonly settleAfterSeconds?: number
  /** `virtual` stands still until `advance`. Default `real`. */
  readonly clock?: 'real' | 'virtual'
  /** The signing secret of every subscription that does not bring one. Default: one a subscription, from the seed. */
  readonly secret?: string
  /** How deliveries are signed. Default: the default of webhook-inbox. */
  readonly scheme?: SignatureScheme
  /** The key that may do everything. Default `sk_sandbox_local`. */
  readonly apiKey?: string
  /** Seconds that one delivery attempt may take. Default 15. */
  readonly timeoutSeconds?: number
  /** Refuses `http:` targets, on loopback too. Default false. */
  readonly strictHttps?: boolean
  /** Allows `https:` targets outside this machine. Default false. */
  readonly allowRemote?: boolean
  /** Receivers that are subscribed to every event from the start, and after each reset. Default: none. */
  readonly forwardTo?: readonly string[]
  /** API requests a second for each key. More are 429. Default: no limit. */
  readonly requestsPerSecond?: number
}

export type Options = {
  readonly [Name in Exclude<
    keyof SandboxOptions,
    'state' | 'secret' | 'scheme' | 'requestsPerSecond' | 'retry'
  >]-?: NonNullable<SandboxOptions[Name]>
} & Pick<SandboxOptions, 'secret' | 'scheme' | 'requestsPerSecond'> & {
    readonly state: string
    /** Seconds before each further attempt. */
    readonly retrySeconds: readonly number[]
  }

const defaults = {
  port: 4010,
  host: '127.0.0.1',
  state: ':memory:',
  seed: 1,
  envelope: 'camelCase',
  product: 'mobile_money',
  settleAfterSeconds: 0.1,
  clock: 'real',
  apiKey: 'sk_sandbox_local',
  timeoutSeconds: 15,
  strictHttps: false,
  allowRemote: false,
  forwardTo: [],
} as const

const known: readonly string[] = [...Object.keys(defaults), 'retry', 'secret', 'scheme', 'requestsPerSecond']

/** Fills in the defaults. Throws `OptionError`. */
export function resolveOptions(given: SandboxOptions = {}): Options {
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) {
      throw new OptionError(name, `is no option; the options are ${known.join(', ')}`)
    }
  }
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const { retry, ...rest } = { ...defaults, ...present } as typeof defaults & SandboxOptions
  const options = { ...rest, retrySeconds: resolveSchedule(retry ?? 'fast') } as Options
  for (const [name, isFine, wanted] of checks(options)) {
    if (!isFine) {
      throw new OptionError(name, wanted)
    }
  }
  return options
}

function checks(options: Options): [name: string, isFine: boolean, wanted: string][] {
  const { port, host, state, seed, envelope, product, settleAfterSeconds, clock, secret, apiKey } = options
  const { timeoutSeconds, strictHttps, allowRemote, forwardTo, requestsPerSecond = 1 } = options
  const isText = (value: unknown) => typeof value === 'string' && value !== ''
  const isKey = (value: unknown) => typeof value === 'string' && /^[!-~]+$/.test(value)
  return [
    ['port', Number.isInteger(port) && port >= 0 && port <= 65_535, 'must be 0 to 65535'],
    ['host', isText(host), 'must be an address to listen on'],
    ['state', isText(state), 'must be the path of a file'],
    ['seed', Number.isSafeInteger(seed), 'must be a whole number'],
    ['envelope', ['camelCase', 'snake_case'].includes(envelope), "must be 'camelCase' or 'snake_case'"],
    ['product', products.includes(product), `must be one of ${products.join(', ')}`],
    ['settleAfterSeconds', isSeconds(settleAfterSeconds, 0), 'must be 0 to 86400 seconds'],
    ['clock', ['real', 'virtual'].includes(clock), "must be 'real' or 'virtual'"],
    ['secret', secret === undefined || isKey(secret), 'must be visible ASCII without white space'],
    ['apiKey', isKey(apiKey) && apiKey !== readonlyKey, `must be visible ASCII other than ${readonlyKey}`],
    ['timeoutSeconds', isSeconds(timeoutSeconds, 0.001), 'must be 0.001 to 86400 seconds'],
    ['strictHttps', typeof strictHttps === 'boolean', 'must be true or false'],
    ['allowRemote', typeof allowRemote === 'boolean', 'must be true or false'],
    [
      'forwardTo',
      Array.isArray(forwardTo) && forwardTo.every((url) => typeof url === 'string' && URL.canParse(url)),
      'must be URLs',
    ],
    ['requestsPerSecond', isSeconds(requestsPerSecond, 1), 'must be 1 to 86400'],
  ]
}

const isSeconds = (value: unknown, least: number) =>
  typeof value === 'number' && value >= least && value <= 86_400

/** May read and never write, so that a program can meet a 403. */
export const readonlyKey = 'sk_sandbox_readonly'
