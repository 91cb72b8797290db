import type { HmacKey } from '#crypto'
import type { Store } from './dedupe/store.js'
import type { AnyHandler } from './dispatch/handlers.js'
import { ConfigurationError } from './errors.js'
import type { WebhookEvent } from './event/event.js'
import type { InexactNumbers } from './event/parse.js'
import type { Schemas } from './event/schema.js'
import type { Logger } from './log.js'
import type { CommonOptions } from './options.js'
import type { Queue } from './queue/queue.js'
import type { ReceiveRequest } from './request.js'
import type { ReceiveResult } from './result.js'
import { type ResolvedScheme, resolveScheme, type SignatureScheme } from './signature/scheme.js'
import { decodeSecret } from './signature/secrets.js'
import { checkTolerance, defaultToleranceSeconds, systemClock } from './signature/verify.js'

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

/** Everything that one delivery needs, prepared when the receiver was built. */
export interface Pipeline extends Settings {
  readonly keysFor: (request: ReceiveRequest) => readonly HmacKey[] | Promise<readonly HmacKey[]>
  /** Resolves once the store has passed its check; rejects while it has not. */
  readonly ready: () => Promise<void> | undefined
  /** Has `stop()` wait for work that may outlive the answer of its delivery. */
  readonly track: (work: Promise<unknown>) => void
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
  checkSchemas(settings)
  checkLogger(settings)
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
  if (handlers && !isPlainObject(handlers)) throw invalid('handlers must be a plain object')
  for (const [type, handler] of [...Object.entries(handlers ?? {}), ['fallback', fallback] as const]) {
    if (handler !== undefined && typeof handler !== 'function')
      throw invalid(`the handler of ${type} is not a function`)
  }
}

/** A class instance keeps its methods on the prototype, where a handler is never looked for. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
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
  if (settings.handlerTimeoutSeconds > day) throw invalid('handlerTimeoutSeconds must be at most a day')
  if (settings.leaseSeconds > day) throw invalid('leaseSeconds must be at most a day')
  if (settings.retentionSeconds > 36_500 * day) throw invalid('retentionSeconds must be at most a century')
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
  if (environments !== undefined && !isListOfNames(environments)) {
    throw invalid('environments must be a list of names that is not empty')
  }
  if (typeof settings.now !== 'function') throw invalid('now must be a function that returns unix seconds')
  if (settings.onResult !== undefined && typeof settings.onResult !== 'function')
    throw invalid('onResult must be a function')
}

/** An unset variable in such a list would let nothing in, or everything. */
const isListOfNames = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string' && name !== '')

function checkSchemas({ schemas }: Settings): void {
  for (const [type, schema] of Object.entries(schemas ?? {})) {
    if (typeof schema?.['~standard']?.validate !== 'function')
      throw invalid(`the schema of ${type} is no Standard Schema`)
  }
}

function checkLogger({ logger }: Settings): void {
  for (const method of ['info', 'warn', 'error'] as const) {
    if (logger && typeof logger[method] !== 'function') throw invalid(`logger has no ${method}()`)
  }
}

const invalid = (message: string) => new ConfigurationError('invalid_option', message)
