import { ConfigurationError, invalidOption } from '../errors.js'
import { givenOptions, readable, shown } from '../given-options.js'
import { type Logger, receiverLog } from '../report/logger.js'
import { resolveScheme } from '../signature/scheme.js'
import { keySource, type Secrets } from '../signature/secrets.js'
import { checkTolerance } from '../signature/verify-signature.js'
import { observe } from '../telemetry/observe.js'
import type { Telemetry } from '../telemetry/telemetry.js'
import { commonRules, has, isFunction, type Rule, receiverRules } from './rules.js'
import type { Settings } from './settings.js'
import type { CommonOptions } from './types.js'

/** How long a concurrent delivery waits before it is answered `in_progress`, in seconds. */
const longestWaitSeconds = 2

/**
 * Checks the options of a receiver and fills in defaults. Throws `ConfigurationError` (`unknown_option`,
 * `invalid_option`, `invalid_secret`, `invalid_store`), so that a mistake fails when the program starts and not at the
 * first delivery.
 */
export function resolveReceiver(options: object): Settings {
  const settings = resolve('createReceiver', options, { ...commonRules, ...receiverRules })
  if (!settings.handlers && !settings.fallback) {
    throw invalidOption('give handlers, a fallback, or both')
  }
  return settings
}

/** Checks the options of a middleware, whose route does the work. Throws as {@link resolveReceiver} does. */
export function resolveGate(options: object): Settings {
  const ofReceiver = readable('the options of the middleware', () =>
    Object.keys(receiverRules).filter((name) => Object(options)[name] !== undefined),
  )
  if (ofReceiver.length > 0) {
    throw new ConfigurationError(
      'unknown_option',
      `the middleware takes no ${ofReceiver.join(', ')}: its route does the work; or pass createReceiver({ ... }) to the handler form, such as expressHandler`,
    )
  }
  return resolve('the middleware', options, commonRules)
}

function resolve(owner: string, options: object, rules: Readonly<Record<string, Rule>>): Settings {
  const given = givenOptions(owner, options, Object.keys(rules))
  const settings: Record<string, unknown> = {}
  for (const [name, [fallback, holds, must]] of Object.entries(rules)) {
    const value = name in given ? given[name] : fallback
    if (value !== undefined && !readable(name, () => holds(value as never))) {
      throw invalidOption(`${name} must ${must}`)
    }
    settings[name] = value
  }
  return readable(`the options of ${owner}`, () => prepare(settings as unknown as Checked))
}

/** Options that are each valid by themselves. */
interface Checked extends Omit<Settings, 'logger' | 'telemetry'> {
  readonly secret: CommonOptions['secret']
  readonly logger: Logger | false
  readonly telemetry: Telemetry | undefined
}

/** Checks combinations of options, and prepares the settings that every delivery needs. */
function prepare({ secret, logger, telemetry, ...settings }: Checked): Settings {
  const { store, queue, handlers, handlerTimeoutSeconds, leaseSeconds, retentionSeconds } = settings
  if (!has('once', 'check', 'prune', 'close')(store as never)) {
    throw invalidStore(
      'a store is required, such as sqliteStore(path) or postgresStore({ pool }): it has once(), check(), prune() and close()',
    )
  }
  if (queue && !store.inbox) {
    throw invalidStore('a queue needs a store that keeps bodies, such as sqliteStore()')
  }
  for (const [type, handler] of Object.entries(handlers ?? {})) {
    if (handler !== undefined && !isFunction(handler)) {
      throw invalidOption(`the handler of ${shown(type)} is not a function`)
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
  if (typeof secret !== 'function') {
    checkSharedEndpoint(store, settings.endpoint, secret)
  }
  const observer = observe(telemetry, settings, (method, error) =>
    receiverLog(logger, settings.endpoint).error(`telemetry ${method} threw; logged once`, error),
  )
  return {
    ...settings,
    scheme,
    isSecretLoaded: typeof secret === 'function',
    keysFor,
    telemetry: observer,
    logger: receiverLog(logger, settings.endpoint, observer.traceIds),
    durable: queue && store.inbox && { queue, inbox: store.inbox },
    durations: {
      leaseSeconds,
      retentionSeconds,
      workSeconds: handlerTimeoutSeconds,
      waitSeconds: Math.min(longestWaitSeconds, handlerTimeoutSeconds / 2),
    },
  }
}

/** The secrets of all receivers, by store and endpoint. */
const secretsInUse = new WeakMap<object, Map<string, ReadonlySet<string>>>()

/**
 * Rejects a second receiver on the same store and endpoint if the two receivers share no secret. They have different
 * senders, and an event of one sender could look like a duplicate of the other.
 */
function checkSharedEndpoint(store: object, endpoint: string, secret: Secrets): void {
  const endpoints = secretsInUse.get(store) ?? new Map<string, ReadonlySet<string>>()
  const secrets = new Set([secret].flat())
  const others = endpoints.get(endpoint) ?? new Set<string>()
  if (others.size > 0 && ![...secrets].some((each) => others.has(each))) {
    throw invalidOption(
      `another receiver uses this store and the endpoint '${endpoint}' with other secrets; give each its own endpoint`,
    )
  }
  endpoints.set(endpoint, new Set([...secrets, ...others]))
  secretsInUse.set(store, endpoints)
}

const invalidStore = (message: string) => new ConfigurationError('invalid_store', message)
