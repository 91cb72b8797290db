import { ConfigurationError, type Logger, type Receiver } from 'webhook-inbox'
import { type LineLog, lineLog } from 'webhook-inbox/adapter'
import { type SealedKeys, sealedKeys } from './guard/sealed-keys.js'
import { defaultLimits, type Limits } from './limits.js'
import { checkMaskPaths } from './mask-paths.js'
import { type Mask, type MaskAt, resolveMask } from './views/mask.js'
import type { ConsoleAction } from './wire.js'

/** The options of the console. `Request` is what the framework gives a handler. */
export interface ConsoleOptions<Request> {
  /**
   * Whether the person behind a request may do something. Called for every view and every change. Only `true` permits it,
   * otherwise the response is 403. An error, or no result within 3 seconds, gives 503 and is logged.
   */
  readonly authorize: (request: Request, action: ConsoleAction) => boolean | Promise<boolean>
  /** The name for the audit log, within 3 seconds. Required unless `readOnly` is true. */
  readonly actor?: ((request: Request) => string | Promise<string>) | undefined
  /** A word for the badge of the page, such as `production`. Default: no badge. */
  readonly environment?: string | undefined
  /** Rejects every change, even if `authorize` returns `true`. Default false. */
  readonly readOnly?: boolean | undefined
  /**
   * The parts of a body to hide: paths such as `data.phone`, or a function that returns what to show for a value. A path begins
   * at the top of the event. `*` is any key or index. Upper and lower case, and underscores, are ignored. The function must
   * not return a promise. Default: nothing is masked.
   */
  readonly mask?: Mask | undefined
  /**
   * A secret of at least 16 characters, the same in each process that serves this console. With a mask, the links to deliveries and
   * failure groups are encrypted with it. Default: a random one, so a link works only in its process and until that ends.
   */
  readonly linkSecret?: string | undefined
  /**
   * Where errors of `authorize` and of the store are logged, and who checked deliveries that stay in quarantine. `false` logs
   * nothing. Default `console`.
   */
  readonly logger?: Logger | false | undefined
}

/** The options for frameworks that do not pass the path of the console. */
export interface MountedOptions<Request> extends ConsoleOptions<Request> {
  /** The path that the console is mounted at, such as `/console`. Default: the framework removes it, as Express does. */
  readonly path?: string | undefined
}

/** The options after their checks. */
export interface Resolved {
  readonly receiver: Receiver
  readonly authorize: (request: unknown, action: ConsoleAction) => unknown
  readonly actor: ((request: unknown) => unknown) | undefined
  readonly environment: string | undefined
  readonly readOnly: boolean
  readonly mask: MaskAt | undefined
  /** Only with a mask. */
  readonly sealedKeys: SealedKeys | undefined
  readonly path: string
  readonly logger: LineLog
  readonly limits: Limits
}

const known = ['authorize', 'actor', 'environment', 'readOnly', 'mask', 'linkSecret', 'path', 'logger']

/** Throws `ConfigurationError` `invalid_option`, `unknown_option` or `invalid_store`. */
export function resolveOptions<Request>(receiver: Receiver, options: MountedOptions<Request>): Resolved {
  if (typeof receiver?.list !== 'function' || typeof receiver.stopping?.addEventListener !== 'function') {
    throw invalid('the first argument must be a receiver, made by createReceiver')
  }
  if (receiver.hasInbox === false) {
    throw new ConfigurationError(
      'invalid_store',
      'the store of the receiver keeps no events; fix: sqliteStore() or postgresStore()',
    )
  }
  if (typeof options !== 'object' || options === null) {
    throw invalid('give options with authorize: without it nobody may see anything')
  }
  const unknown = Object.keys(options).filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    const names = unknown.join(', ')
    throw new ConfigurationError('unknown_option', `${names} is not an option; there are ${known.join(', ')}`)
  }
  const { authorize, actor, environment, readOnly = false, path = '', logger = console } = options
  const { mask, linkSecret } = options
  if (typeof authorize !== 'function') {
    throw invalid('authorize must be a function: without it nobody may see anything')
  }
  if (typeof readOnly !== 'boolean') {
    throw invalid('readOnly must be a boolean')
  }
  if (actor === undefined ? !readOnly : typeof actor !== 'function') {
    throw invalid(
      'actor must be a function that returns a name for the audit; without it give readOnly: true',
    )
  }
  if (environment !== undefined && typeof environment !== 'string') {
    throw invalid('environment must be a string')
  }
  if (linkSecret !== undefined && !(typeof linkSecret === 'string' && linkSecret.length >= leastSecret)) {
    throw invalid(`linkSecret must be a string of at least ${leastSecret} characters`)
  }
  if (logger !== false && !isLogger(logger)) {
    throw invalid('logger must have info(), warn() and error(), or be false')
  }
  if (typeof path !== 'string' || (path !== '' && !/^\/.*[^/]$/.test(path))) {
    throw invalid('path must begin with a slash and end without one, such as /console')
  }
  const maskAt = resolveMask(mask)
  if (Array.isArray(mask)) {
    checkMaskPaths(mask)
  }
  return {
    receiver,
    authorize: authorize as Resolved['authorize'],
    actor: actor as Resolved['actor'],
    environment,
    readOnly,
    mask: maskAt,
    sealedKeys: mask === undefined ? undefined : sealedKeys(receiver.endpoint, linkSecret),
    path,
    logger: lineLog(logger),
    limits: defaultLimits,
  }
}

/** The least length of a `linkSecret` in characters. */
const leastSecret = 16

const isLogger = (logger: unknown): logger is Logger =>
  typeof logger === 'object' &&
  logger !== null &&
  ['info', 'warn', 'error'].every((name) => typeof (logger as Record<string, unknown>)[name] === 'function')

const invalid = (message: string) => new ConfigurationError('invalid_option', message)
