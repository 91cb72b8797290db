import { catchLater } from '../catch-later.js'
import type { Schemas, StandardSchema } from '../event/standard-schema.js'
import { defaultToleranceSeconds, isMilliseconds, systemClock } from '../signature/verify-signature.js'
import type { CommonOptions, ReceiverOptions } from './types.js'

const day = 86_400

/** The store keeps every done event at least this long. */
export const shortestRetentionSeconds = 30 * day

/** The default of an option, whether a value is valid, and what the value must be. */
export type Rule = readonly [fallback: unknown, holds: (value: never) => unknown, must: string]

/** Every option has a rule, or this does not compile. */
type Rules<Options> = { readonly [Name in keyof Options]-?: Rule }

const anything = () => true
const bytesOf = (text: string) => new TextEncoder().encode(text).length
export const isFunction = (value: unknown) => typeof value === 'function'
const within = (least: number, most: number) => (value: unknown) =>
  typeof value === 'number' && value >= least && value <= most
const positive = Number.MIN_VALUE
export const has =
  (...methods: string[]) =>
  (value: Record<string, unknown> | null) =>
    methods.every((method) => isFunction(value?.[method]))

/** `docs/options.md` is generated from these rules and the docstrings of the options. */
export const commonRules: Rules<CommonOptions> = {
  secret: [undefined, anything, 'be a secret, a list of secrets or a function'],
  store: [undefined, anything, 'be a store'],
  endpoint: [
    'default',
    // More bytes do not fit into the indexes of Postgres, which hold the endpoint twice and the type.
    (name: unknown) => typeof name === 'string' && /^\P{C}{1,255}$/u.test(name) && bytesOf(name) <= 512,
    'be 1 to 255 printable characters, in at most 512 bytes',
  ],
  scheme: [undefined, anything, 'be an object'],
  toleranceSeconds: [defaultToleranceSeconds, within(positive, Number.MAX_VALUE), 'be a positive number'],
  allowLongTolerance: [false, (value) => typeof value === 'boolean', 'be a boolean'],
  schemas: [undefined, areSchemas, 'hold a Standard Schema for each type'],
  environments: [undefined, isListOfNames, 'be a list of names that is not empty'],
  requireEventIdHeader: [false, (value) => typeof value === 'boolean', 'be a boolean'],
  inexactNumbers: ['refuse', (value) => value === 'refuse' || value === 'round', "be 'refuse' or 'round'"],
  maxBodyBytes: [
    1_048_576,
    (value: unknown) => isWhole(value, 1, 2 ** 30),
    'be a whole number, at least 1 and at most 1 GiB',
  ],
  bodyTimeoutSeconds: [10, within(positive, day), 'be a positive number, at most a day'],
  handlerTimeoutSeconds: [10, within(positive, day), 'be a positive number, at most a day'],
  leaseSeconds: [60, within(positive, day), 'be a positive number, at most a day'],
  retentionSeconds: [
    90 * day,
    within(shortestRetentionSeconds, 36_500 * day),
    'be 30 days or more, because the sender may deliver again, and at most a century',
  ],
  pruneEverySeconds: [
    3600,
    (value: unknown) => value === false || within(positive, day)(value),
    'be a positive number, at most a day, or false',
  ],
  undoSeconds: [600, within(0, day), 'be zero or more, at most a day'],
  now: [
    systemClock,
    isClock,
    'be a function that returns unix seconds, not milliseconds, such as clock.now of manualClock',
  ],
  onResult: [undefined, isFunction, 'be a function'],
  telemetry: [
    undefined,
    (value) => typeof value === 'object' && value !== null,
    'be a telemetry, such as openTelemetry()',
  ],
  logger: [
    console,
    (logger) => logger === false || has('info', 'warn', 'error')(logger),
    'have info(), warn() and error(), or be false',
  ],
}

export const receiverRules: Rules<Omit<ReceiverOptions<object, Schemas, unknown>, keyof CommonOptions>> = {
  handlers: [undefined, isPlainObject, 'be a plain object'],
  fallback: [undefined, isFunction, 'be a function'],
  queue: [undefined, has('consume'), 'have consume(), as localQueue() has'],
  resource: [undefined, isFunction, 'be a function'],
  breaker: [
    undefined,
    isBreaker,
    'have failures, a positive whole number, and retryAfterSeconds, at most a day',
  ],
  limits: [
    undefined,
    areLimits,
    'have byType or perResource, each with concurrency, a positive whole number, or perSecond, a positive number',
  ],
  priorities: [undefined, arePriorities, 'hold a whole number from -100 to 100 for each type'],
  quarantineRetentionSeconds: [
    undefined,
    within(positive, 36_500 * day),
    'be a positive number, at most a century',
  ],
  version: [
    undefined,
    (version) => typeof version === 'string' && /^\P{C}{1,100}$/u.test(version),
    'be 1 to 100 printable characters',
  ],
}

const isWhole = (value: unknown, least: number, most = Number.MAX_SAFE_INTEGER) =>
  Number.isSafeInteger(value) && within(least, most)(value)

const hasOnly = (value: unknown, names: readonly string[]): value is Record<string, unknown> =>
  isPlainObject(value) && Object.keys(value as object).every((name) => names.includes(name))

function isBreaker(value: unknown): boolean {
  return (
    hasOnly(value, ['failures', 'retryAfterSeconds']) &&
    isWhole(value.failures, 1, 2 ** 31 - 1) &&
    within(positive, day)(value.retryAfterSeconds)
  )
}

function areLimits(value: unknown): boolean {
  if (!hasOnly(value, ['byType', 'perResource'])) {
    return false
  }
  const { byType = {}, perResource = {} } = value
  return isPlainObject(byType) && [...Object.values(byType as object), perResource].every(isLimit)
}

function isLimit(value: unknown): boolean {
  if (!hasOnly(value, ['concurrency', 'perSecond'])) {
    return false
  }
  const { concurrency, perSecond } = value
  return (
    (concurrency === undefined || isWhole(concurrency, 1)) &&
    (perSecond === undefined || within(0.0001, 1e9)(perSecond))
  )
}

function arePriorities(value: unknown): boolean {
  return (
    isPlainObject(value) && Object.values(value as object).every((priority) => isWhole(priority, -100, 100))
  )
}

/** A class instance is rejected. Its methods are on the prototype, and handlers are looked up only as own properties. */
function isPlainObject(value: unknown): boolean {
  if (value === null || value === undefined) {
    return false
  }
  // For a word, a number or a function it is the prototype of their kind, which has one itself.
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** A clock that throws is reported with the delivery, as a mistake of a function. */
function isClock(now: unknown): boolean {
  if (typeof now !== 'function') {
    return false
  }
  try {
    const time: unknown = now()
    catchLater(time)
    return !isMilliseconds(time)
  } catch (error) {
    catchLater(error)
    return true
  }
}

/** Rejects an empty list or name, which is usually the result of an environment variable that is not set. */
function isListOfNames(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length > 0 && [...value].every((name) => typeof name === 'string' && name)
  )
}

/** Rejects a `Map` and a single schema, because then no data would be checked. */
function areSchemas(value: unknown): boolean {
  if (!isPlainObject(value)) {
    return false
  }
  const schemas: readonly (Partial<StandardSchema> | null)[] = Object.values(value as object)
  return schemas.every((schema) => isFunction(schema?.['~standard']?.validate))
}
