import { givenOptions, invalidOption } from '../options/checks.js'
import { defaultRetry, type Retry } from '../timing/backoff.js'
import { checkQueueName } from './queue-name.js'

/** What every queue is told about how it runs events. */
interface Common {
  readonly retry?: Retry | undefined
}

/**
 * The options of a queue with their defaults; those of `required` have none. Of what has a number for its default, names
 * that end in `Seconds` are durations, and the others count something. Throws `ConfigurationError` (`invalid_option`,
 * `unknown_option`) for an option that no such queue has, and for a value that it cannot work with.
 */
export function resolveQueueOptions<Options extends Common, Defaults extends object>(
  queue: string,
  options: Options,
  defaults: Defaults,
  required: readonly string[] = [],
) {
  const given = givenOptions(queue, options, [...required, ...Object.keys(defaults), 'retry'])
  const retry = givenOptions(`retry of ${queue}`, options.retry ?? {}, Object.keys(defaultRetry))
  const settings = { ...defaults, ...given, retry: { ...defaultRetry, ...retry } }
  checkNumbers(settings, defaults)
  checkNumbers(settings.retry, defaultRetry, 'retry.')
  if ('name' in defaults) checkQueueName((settings as { readonly name?: unknown }).name)
  if (typeof (settings as { readonly onError?: unknown }).onError !== 'function')
    throw invalidOption('onError must be a function')
  return settings as Omit<Options, keyof Defaults | 'retry'> & Defaults & { readonly retry: Required<Retry> }
}

function checkNumbers(settings: object, defaults: object, prefix = ''): void {
  for (const [name, value] of Object.entries(settings)) {
    if (typeof (defaults as Record<string, unknown>)[name] !== 'number') continue
    if (!name.endsWith('Seconds')) {
      if (!(Number.isInteger(value) && value > 0))
        throw invalidOption(`${prefix}${name} must be a positive whole number`)
      // A timer of Node holds 2^31 - 1 milliseconds; beyond it, it fires at once.
    } else if (!(value > 0 && value <= 86_400)) {
      throw invalidOption(`${prefix}${name} must be a positive number, at most a day`)
    }
  }
}
