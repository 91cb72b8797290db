import { Console } from 'node:console'
import { existsSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import type { Receiver } from 'webhook-inbox'
import type { Call, Options } from '../command.js'
import { UnreachableError, UsageError } from '../exit.js'
import { localPath, moduleUrl } from '../local-path.js'
import { explainPortInUse } from './port-in-use.js'
import { isOfNetwork, storeFault } from './store-fault.js'
import { watchVariables } from './watch-variables.js'

export const receiverOptions = {
  receiver: {
    type: 'string',
    short: 'r',
    value: 'FILE',
    help: 'The module of your program that exports `receiver`, in JavaScript or TypeScript. Default: the variable WEBHOOK_INBOX_RECEIVER',
  },
} as const satisfies Options

/** The exports of the user’s module that the commands use. */
export interface ReceiverModule {
  readonly receiver: Receiver
  /** Applies the migrations of the store, if the module exports such a function. */
  readonly migrate?: () => Promise<unknown>
}

/**
 * What the module is loaded for, as it sees in `WEBHOOK_INBOX_CLI`. For `migrate`, `start()` in the module does not check the
 * tables.
 */
export type Purpose = '1' | 'migrate'

/** Loads the user’s module, runs the work with it, and then closes what the module has opened. */
export async function withReceiver<T>(
  { values, print, world }: Pick<Call<typeof receiverOptions>, 'values' | 'print' | 'world'>,
  work: (module: ReceiverModule) => Promise<T>,
  purpose: Purpose = '1',
): Promise<T> {
  const given = values.receiver ?? world.env.WEBHOOK_INBOX_RECEIVER
  if (given === undefined) {
    throw new UsageError('name the module that exports your receiver: --receiver FILE')
  }
  print.working(`loading ${given}`)
  const module = await load(given, purpose)
  print.working('waiting for the store')
  try {
    return await work(module)
  } catch (error) {
    throw storeFault(error)
  } finally {
    await module.receiver.stop({ drainSeconds: 5 }).catch(() => {})
  }
}

async function load(path: string, purpose: Purpose): Promise<ReceiverModule> {
  const file = resolve(localPath(path))
  if (!existsSync(file)) {
    throw new UsageError(`cannot read ${path}: there is no such file`)
  }
  // The log of the program goes to stderr, because stdout has the result of the command.
  globalThis.console = new Console(process.stderr, process.stderr)
  // With this variable a module can decide not to listen and not to consume when it is loaded.
  process.env.WEBHOOK_INBOX_CLI = purpose
  explainPortInUse(path)
  const variables = watchVariables()
  const exports = await importModule(file)
    .catch((error: unknown) => {
      throw notLoaded(path, error, variables.unset())
    })
    .finally(variables.end)
  const found = { ...(exports.default as object | undefined), ...exports } as Record<string, unknown>
  const { receiver, migrate } = found
  if (!isReceiver(receiver)) {
    throw new UsageError(`${path} must export its receiver: export const receiver = createReceiver({ ... })`)
  }
  return { receiver, ...(typeof migrate === 'function' && { migrate: migrate as () => Promise<unknown> }) }
}

/**
 * One line if the store, or another server that the module asks, does not respond. One line for an option that the toolkit
 * rejects, with the variables that may be missing. Otherwise the whole stack.
 */
function notLoaded(path: string, error: unknown, unset: readonly string[]): unknown {
  const why = `${path} cannot be loaded`
  if (isOfNetwork(error)) {
    return new UnreachableError(`${why}: a server does not respond: ${error.message || error.code}`)
  }
  const fault = storeFault(error)
  if (fault !== error) {
    return fault
  }
  if (!(error instanceof Error)) {
    return new UsageError(`${why}: ${error}`)
  }
  if (error.name !== 'ConfigurationError') {
    return Object.assign(new UsageError(why), { stackOfCause: error.stack ?? error.message })
  }
  const { code } = error as Error & { code?: string }
  const isSecret = code === 'invalid_secret'
  const names = unset.filter((name) => !isSecret || /SECRET|KEY|TOKEN/i.test(name))
  const isMissing = names.length > 0 && (isSecret || code === 'invalid_option')
  const fix = `. The module reads ${names.join(', ')}, not set here: set what your program sets`
  return new UsageError(`${why}: ${error.message}${isMissing ? fix : ''}`)
}

async function importModule(file: string): Promise<Record<string, unknown>> {
  if (!/^\.[cm]?tsx?$/.test(extname(file))) {
    return import(moduleUrl(file))
  }
  // jiti works in the same way on every version of Node, with or without built-in type stripping.
  const { createJiti } = await import('jiti')
  return createJiti(moduleUrl(file), { interopDefault: false }).import(moduleUrl(file))
}

function isReceiver(value: unknown): value is Receiver {
  const verbs = ['list', 'inspect', 'replay', 'health', 'prune', 'stop'] as const
  return typeof value === 'object' && value !== null && verbs.every((verb) => verb in value)
}
