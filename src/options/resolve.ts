import { ConfigurationError } from '../errors.js'
import type { StandardSchema } from '../event/schema.js'
import { type Logger, lineLog } from '../report/logger.js'
import { resolveScheme } from '../signature/scheme.js'
import { keySource, type Secrets } from '../signature/secrets.js'
import { checkTolerance, defaultToleranceSeconds, systemClock } from '../signature/verify.js'
import { givenOptions, invalidOption } from './checks.js'
import type { Settings } from './settings.js'
import type { CommonOptions } from './types.js'

const day = 86_400

/** A concurrent delivery is answered `in_progress` when it has waited longer than this. */
const longestWaitSeconds = 2

/** An option: its default, whether a value is valid, and what the value must be. */
type Rule = readonly [fallback: unknown, holds: (value: never) => unknown, must: string]

const anything = () => true
const isFunction = (value: unknown) => typeof value === 'function'
const within = (least: number, most: number) => (value: unknown) =>
  typeof value === 'number' && value >= least && value <= most
const positive = Number.MIN_VALUE
const has =
  (...methods: string[]) =>
  (value: Record<string, unknown> | null) =>
    methods.every((method) => isFunction(value?.[method]))

const rules: Readonly<Record<string, Rule>> = {
  secret: [undefined, anything, ''],
  store: [undefined, anything, ''],
  endpoint: [
    'default',
    (name) => typeof name === 'string' && /^\P{C}{1,255}$/u.test(name),
    'be 1 to 255 printable characters',
  ],
  scheme: [undefined, anything, ''],
  toleranceSeconds: [defaultToleranceSeconds, within(positive, Number.MAX_VALUE), 'be a positive number'],
  allowLongTolerance: [false, (value) => typeof value === 'boolean', 'be a boolean'],
  schemas: [undefined, areSchemas, 'hold a Standard Schema for each type'],
  environments: [undefined, isListOfNames, 'be a list of names that is not empty'],
  requireEventIdHeader: [false, (value) => typeof value === 'boolean', 'be a boolean'],
  inexactNumbers: ['refuse', (value) => value === 'refuse' || value === 'round', "be 'refuse' or 'round'"],
  maxBodyBytes: [1_048_576, within(positive, Number.MAX_VALUE), 'be a positive number'],
  bodyTimeoutSeconds: [10, within(positive, day), 'be a positive number, at most a day'],
  handlerTimeoutSeconds: [10, within(positive, day), 'be a positive number, at most a day'],
  leaseSeconds: [60, within(positive, day), 'be a positive number, at most a day'],
  retentionSeconds: [
    90 * day,
    within(30 * day, 36_500 * day),
    'be 30 days, to outlive the sender’s resends, to a century',
  ],
  now: [systemClock, isFunction, 'be a function that returns unix seconds'],
  onResult: [undefined, isFunction, 'be a function'],
  logger: [
    console,
    (logger) => logger === false || has('info', 'warn', 'error')(logger),
    'have info(), warn() and error(), or be false',
  ],
}

const rulesOfReceivers: Readonly<Record<string, Rule>> = {
  handlers: [undefined, isPlainObject, 'be a plain object'],
  fallback: [undefined, isFunction, 'be a function'],
  queue: [undefined, has('consume'), 'have consume()'],
  resource: [undefined, isFunction, 'be a function'],
}

/**
 * Checks options and fills in defaults. Throws `ConfigurationError` (`unknown_option`, `invalid_option`,
 * `invalid_secret`, `invalid_store`), so that a mistake shows when the program starts and not at the first delivery.
 */
export function resolveOptions(options: object, isMiddleware: boolean): Settings {
  const known = isMiddleware ? rules : { ...rules, ...rulesOfReceivers }
  const given = givenOptions(isMiddleware ? 'the middleware' : 'createReceiver', options, Object.keys(known))
  const settings: Record<string, unknown> = {}
  for (const [name, [fallback, holds, must]] of Object.entries(known)) {
    const value = name in given ? given[name] : fallback
    if (value !== undefined && !holds(value as never)) throw invalidOption(`${name} must ${must}`)
    settings[name] = value
  }
  return prepare(settings as unknown as Checked, isMiddleware)
}

/** Options that are each valid by themselves. */
interface Checked extends Omit<Settings, 'logger'> {
  readonly secret: CommonOptions['secret']
  readonly logger: Logger | false
}

/** Checks what concerns several options, and prepares what every delivery needs. */
function prepare({ secret, logger, ...settings }: Checked, isMiddleware: boolean): Settings {
  const { store, queue, handlers, fallback, handlerTimeoutSeconds, leaseSeconds, retentionSeconds } = settings
  if (!has('once', 'check', 'prune', 'close')(store as never)) {
    throw invalidStore('a store is required, with once(), check(), prune() and close()')
  }
  if (queue && !store.inbox) {
    throw invalidStore('a queue needs a store that keeps bodies, such as sqliteStore()')
  }
  if (!isMiddleware && !handlers && !fallback) throw invalidOption('give handlers, a fallback, or both')
  for (const [type, handler] of Object.entries(handlers ?? {})) {
    if (handler !== undefined && !isFunction(handler)) {
      throw invalidOption(`the handler of ${type} is not a function`)
    }
  }
  checkTolerance(settings.toleranceSeconds, settings.allowLongTolerance)
  if (settings.toleranceSeconds > retentionSeconds) {
    throw invalidOption(
      'toleranceSeconds is longer than retentionSeconds: a replayed delivery would run again',
    )
  }
  const scheme = resolveScheme(settings.scheme)
  const keysFor = keySource(secret, scheme)
  if (typeof secret !== 'function') checkSharedEndpoint(store, settings.endpoint, secret)
  return {
    ...settings,
    scheme,
    keysFor,
    logger: lineLog(logger),
    durable: queue && store.inbox && { queue, inbox: store.inbox },
    durations: {
      leaseSeconds,
      retentionSeconds,
      workSeconds: handlerTimeoutSeconds,
      waitSeconds: Math.min(longestWaitSeconds, handlerTimeoutSeconds / 2),
    },
  }
}

/** The secrets of the receivers made so far, by store and endpoint. */
const secretsInUse = new WeakMap<object, Map<string, ReadonlySet<string>>>()

/**
 * Refuses a second receiver with entirely different secrets on one store and endpoint: it has another sender, and the
 * events of one sender would pass for duplicates of the other's.
 */
function checkSharedEndpoint(store: object, endpoint: string, secret: Secrets): void {
  const endpoints = secretsInUse.get(store) ?? new Map<string, ReadonlySet<string>>()
  const secrets = new Set([secret].flat())
  const others = endpoints.get(endpoint)
  if (others && ![...secrets].some((each) => others.has(each))) {
    throw invalidOption(
      `another receiver uses this store and the endpoint '${endpoint}' with other secrets; give each its own endpoint`,
    )
  }
  endpoints.set(endpoint, new Set([...secrets, ...(others ?? [])]))
  secretsInUse.set(store, endpoints)
}

/** A class instance keeps its methods on the prototype, where handlers are not looked up. */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** An environment variable that is not set would make such a list accept nothing, or everything. */
function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string' && name)
}

/** With a `Map`, or one schema instead of many, nothing would be checked. */
function areSchemas(value: unknown): boolean {
  if (!isPlainObject(value)) return false
  const schemas: readonly (Partial<StandardSchema> | null)[] = Object.values(value as object)
  return schemas.every((schema) => isFunction(schema?.['~standard']?.validate))
}

const invalidStore = (message: string) => new ConfigurationError('invalid_store', message)
