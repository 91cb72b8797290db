import type { Store } from './dedupe/store.js'
import type { AnyHandler, EventsOf, Handler, Handlers } from './dispatch/handlers.js'
import { ConfigurationError } from './errors.js'
import type { WebhookEvent } from './event/event.js'
import type { InexactNumbers } from './event/parse.js'
import type { Schemas } from './event/schema.js'
import type { Logger } from './log.js'
import type { Queue } from './queue/queue.js'
import type { ReceiveRequest } from './request.js'
import type { ReceiveResult } from './result.js'
import { type ResolvedScheme, resolveScheme, type SignatureScheme } from './signature/scheme.js'
import { decodeSecret, type Secrets } from './signature/secrets.js'
import { checkTolerance, defaultToleranceSeconds, systemClock } from './signature/verify.js'

/** What a receiver and a middleware have in common. Durations are in seconds. */
export interface CommonOptions<Tx = unknown, S extends Schemas = Schemas> {
  /**
   * The endpoint’s signing secret; several while they rotate; or a function that loads them for a request, whose
   * headers are not verified yet. Required.
   */
  readonly secret: Secrets | ((request: ReceiveRequest) => Secrets | Promise<Secrets>)
  /** Where it is remembered which events are done. Required: there is no silent default in memory. */
  readonly store: Store<Tx>
  /** Sets endpoints that share a store apart: the same event id at another endpoint is another event. Default `'default'`. */
  readonly endpoint?: string
  /** Which bytes are signed and how. Default: `t` + `.` + body, in hex. */
  readonly scheme?: SignatureScheme
  /** How far the signed timestamp may lie from the clock, before or after, inclusive. Default 300 s. */
  readonly toleranceSeconds?: number
  /** Schemas of `data` by event type (Standard Schema: zod, valibot, arktype ...). What does not fit is `invalid_data`. */
  readonly schemas?: S
  /** The environments whose events are accepted. An event that names none is accepted. Default: all. */
  readonly environments?: readonly string[]
  /** Refuses a delivery without the Service-Event-Id header. Default false: the signed body carries the id. */
  readonly requireEventIdHeader?: boolean
  /** What to do with a number that a double cannot hold. Default `'refuse'` (`invalid_data`). */
  readonly inexactNumbers?: InexactNumbers
  /** The largest body that is read, in bytes. Default 1 MiB. */
  readonly maxBodyBytes?: number
  /** How long a delivery may take before it is answered 503. Default 10 s. */
  readonly handlerTimeoutSeconds?: number
  /** How long a claim lasts when its process dies; extended while a handler is within its budget. Default 60 s. */
  readonly leaseSeconds?: number
  /** How long a done event is remembered; at least 30 days, to outlive retries and resends. Default 90 days. */
  readonly retentionSeconds?: number
  /** The clock that freshness is judged by, in unix seconds. Default: the system clock. For tests. */
  readonly now?: () => number
  /** Told of every delivery, after the answer is decided. What it throws is logged and changes nothing. */
  readonly onResult?: (result: ReceiveResult) => void
  /** Where guarantees, misconfigurations and failures are written. Default `console`; `false` for silence. */
  readonly logger?: Logger | false
}

/** The options of `createReceiver`. */
export interface ReceiverOptions<Events extends object, S extends Schemas, Tx> extends CommonOptions<Tx, S> {
  /** What to do, by event type. May be left out where `fallback` is given. */
  readonly handlers?: Handlers<EventsOf<Events, S>, Tx>
  /** For every type without a handler. Without it such events are acknowledged as `ignored`. */
  readonly fallback?: Handler<string, unknown, Tx>
  /**
   * Makes the receiver a durable inbox: the answer is `accepted` once the event is committed, and handlers run from the
   * queue. Needs a store that keeps bodies. Default: handlers run before the answer.
   */
  readonly queue?: Queue<Tx>
  /** What an event is about, such as its transfer, for queues that keep the events of one resource in order. */
  readonly resource?: (event: WebhookEvent) => string | undefined
}

/** Options with every default filled in. */
export interface Settings {
  readonly secret: CommonOptions['secret']
  readonly store: Store<unknown>
  readonly handlers: Readonly<Record<string, AnyHandler>> | undefined
  readonly fallback: AnyHandler | undefined
  readonly queue: Queue | undefined
  readonly resource: ((event: WebhookEvent) => string | undefined) | undefined
  readonly endpoint: string
  readonly scheme: ResolvedScheme
  readonly toleranceSeconds: number
  readonly schemas: Schemas | undefined
  readonly environments: readonly string[] | undefined
  readonly requireEventIdHeader: boolean
  readonly inexactNumbers: InexactNumbers
  readonly maxBodyBytes: number
  readonly handlerTimeoutSeconds: number
  readonly leaseSeconds: number
  readonly retentionSeconds: number
  readonly now: () => number
  readonly onResult: ((result: ReceiveResult) => void) | undefined
  readonly logger: Logger | false
}

const day = 86_400
const defaults = {
  handlers: undefined,
  fallback: undefined,
  queue: undefined,
  resource: undefined,
  endpoint: 'default',
  toleranceSeconds: defaultToleranceSeconds,
  schemas: undefined,
  environments: undefined,
  requireEventIdHeader: false,
  inexactNumbers: 'refuse',
  maxBodyBytes: 1_048_576,
  handlerTimeoutSeconds: 10,
  leaseSeconds: 60,
  retentionSeconds: 90 * day,
  now: systemClock,
  onResult: undefined,
} satisfies Partial<Settings>

/**
 * Checks options and fills in defaults. Throws `ConfigurationError` (`unknown_option`, `invalid_option`,
 * `invalid_secret`, `invalid_store`), so that a mistake shows when the program starts and not at the first delivery.
 */
export function resolveOptions(options: Record<string, unknown>, isMiddleware: boolean): Settings {
  if (typeof options !== 'object' || options === null) throw invalid('the options must be an object')
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  rejectUnknown(given, isMiddleware)

  const scheme = resolveScheme(given.scheme as SignatureScheme | undefined)
  const settings = { logger: console, ...defaults, ...given, scheme } as unknown as Settings
  checkSecret(settings)
  checkStore(settings.store)
  if (!isMiddleware) checkHandlers(settings)
  checkQueue(settings)
  checkTolerance(settings.toleranceSeconds)
  checkValues(settings)
  return settings
}

const common = ['secret', 'store', 'scheme', 'logger', ...Object.keys(defaults)]
const ofReceiversOnly = ['handlers', 'fallback', 'queue', 'resource']

function rejectUnknown(given: object, isMiddleware: boolean): void {
  const known = isMiddleware ? common.filter((name) => !ofReceiversOnly.includes(name)) : common
  const unknown = Object.keys(given).filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw new ConfigurationError(
    'unknown_option',
    `${unknown.join(', ')} is not an option; there are ${known.join(', ')}`,
  )
}

function checkSecret({ secret, scheme }: Settings): void {
  if (typeof secret === 'function') return
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  if (secrets.length === 0) throw new ConfigurationError('invalid_secret', 'the list of secrets is empty')
  for (const each of secrets) decodeSecret(each, scheme)
}

function checkStore(store: Partial<Store<unknown>> | undefined): void {
  for (const method of ['once', 'check', 'prune', 'close'] as const) {
    if (typeof store?.[method] === 'function') continue
    throw new ConfigurationError(
      'invalid_store',
      `store is required and must have ${method}(); try memoryStore()`,
    )
  }
}

function checkHandlers({ handlers, fallback }: Settings): void {
  if (!handlers && !fallback) throw invalid('give handlers, a fallback, or both')
  for (const [type, handler] of [...Object.entries(handlers ?? {}), ['fallback', fallback] as const]) {
    if (handler !== undefined && typeof handler !== 'function')
      throw invalid(`the handler of ${type} is not a function`)
  }
}

function checkQueue({ queue, store, resource }: Settings): void {
  if (resource !== undefined && typeof resource !== 'function') throw invalid('resource must be a function')
  if (queue === undefined) return
  for (const method of ['enqueue', 'consume'] as const) {
    if (typeof queue?.[method] !== 'function') throw invalid(`the queue has no ${method}()`)
  }
  if (store.inbox) return
  throw new ConfigurationError(
    'invalid_store',
    'a queue needs a store that keeps bodies, such as sqliteStore()',
  )
}

function checkValues(settings: Settings): void {
  for (const name of ['maxBodyBytes', 'handlerTimeoutSeconds', 'leaseSeconds', 'retentionSeconds'] as const) {
    if (!(settings[name] > 0 && Number.isFinite(settings[name])))
      throw invalid(`${name} must be a positive number`)
  }
  // A timer of Node and of browsers holds 2^31 - 1 milliseconds; beyond it, it fires at once.
  if (settings.handlerTimeoutSeconds > 86_400) throw invalid('handlerTimeoutSeconds must be at most a day')
  if (settings.retentionSeconds < 30 * day) {
    throw invalid(
      'retentionSeconds must be at least 30 days: it has to outlive the sender’s retries and resends',
    )
  }
  if (typeof settings.endpoint !== 'string' || !/^\P{C}{1,255}$/u.test(settings.endpoint)) {
    throw invalid('endpoint must be 1 to 255 printable characters')
  }
  if (!['refuse', 'round'].includes(settings.inexactNumbers))
    throw invalid("inexactNumbers must be 'refuse' or 'round'")
  if (typeof settings.requireEventIdHeader !== 'boolean')
    throw invalid('requireEventIdHeader must be a boolean')
  const { environments } = settings
  if (environments !== undefined && !(Array.isArray(environments) && environments.length > 0)) {
    throw invalid('environments must be a list that is not empty')
  }
  if (typeof settings.now !== 'function') throw invalid('now must be a function that returns unix seconds')
}

const invalid = (message: string) => new ConfigurationError('invalid_option', message)
