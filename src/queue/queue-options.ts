import { invalidOption } from '../errors.js'
import { type Filled, givenOptions } from '../given-options.js'
import { defaultRetry, type Retry } from '../timing/backoff.js'
import { checkQueueName } from './queue-name.js'

/** The options that every queue has. */
interface Common {
  readonly retry?: Retry | undefined
}

/**
 * Checks the options of a queue and fills in the defaults. Options in `required` have no default. Options with a number
 * as default are durations when their name ends in `Seconds`, and counts otherwise. Throws `ConfigurationError`
 * `unknown_option` for an option that the queue does not have, and `invalid_option` for a value that it cannot use.
 */
export function resolveQueueOptions<Options extends Common, Defaults extends object>(
  queue: string,
  options: Options,
  defaults: Defaults,
  ...required: readonly string[]
) {
  const given = givenOptions(queue, options, [...required, ...Object.keys(defaults), 'retry'])
  const retry = givenOptions(`retry of ${queue}`, options.retry ?? {}, Object.keys(defaultRetry))
  const settings = { ...defaults, ...given, retry: { ...defaultRetry, ...retry } }
  checkNumbers(settings, defaults)
  checkNumbers(settings.retry, defaultRetry, 'retry.')
  const { firstPauseSeconds, longestPauseSeconds } = retry as Retry
  if (firstPauseSeconds && longestPauseSeconds && firstPauseSeconds > longestPauseSeconds) {
    throw invalidOption('retry.firstPauseSeconds must be at most retry.longestPauseSeconds')
  }
  if ('name' in defaults) {
    checkQueueName((settings as { readonly name?: unknown }).name)
  }
  if (typeof (settings as { readonly onError?: unknown }).onError !== 'function') {
    throw invalidOption('onError must be a function')
  }
  return settings as Omit<Options, keyof Defaults | 'retry'> & Defaults & { readonly retry: Filled<Retry> }
}

/** The durations among resolved options, with the names that a user gives them. */
export function durationsOf({ retry, ...settings }: { readonly retry: object }): Record<string, number> {
  const all = [
    ...Object.entries(settings),
    ...Object.entries(retry).map(([name, value]) => [`retry.${name}`, value]),
  ]
  return Object.fromEntries(all.filter(([name]) => name.endsWith('Seconds')))
}

function checkNumbers(settings: object, defaults: object, prefix = ''): void {
  for (const [name, value] of Object.entries(settings)) {
    if (typeof (defaults as Record<string, unknown>)[name] !== 'number') {
      continue
    }
    if (!name.endsWith('Seconds')) {
      if (!(Number.isInteger(value) && value > 0)) {
        throw invalidOption(`${prefix}${name} must be a positive whole number`)
      }
      // A timer of Node holds at most 2^31 - 1 milliseconds; a longer one fires immediately.
    } else if (!(typeof value === 'number' && value > 0 && value <= 86_400)) {
      throw invalidOption(`${prefix}${name} must be a positive number, at most a day`)
    }
  }
}
