import { ConfigurationError } from '../errors.js'
import { defaultRetry, type Retry } from '../queue/backoff.js'
import type { Queue } from '../queue/queue.js'
import { Consumer, type ConsumerSettings } from './local/consumer.js'

/** Durations in seconds. */
export interface LocalQueueOptions {
  /** How many events are run at once. Default 10. */
  readonly concurrency?: number
  /** How failed events are tried again. */
  readonly retry?: Retry
  /** How often the inbox is looked through for events of other processes and of failed ones whose time has come. Default 1 s. */
  readonly pollSeconds?: number
  /** Told when the inbox cannot be read or written; the queue goes on trying. Default: `console.error`. */
  readonly onError?: (error: unknown) => void
}

/**
 * Runs events straight from the inbox, which is its only list: what is accepted is queued, and what a crash leaves
 * behind is found again when its lease has passed. For one process; a second one, as in a rolling restart, does no harm.
 *
 * A failed attempt is followed by a growing pause, kept with the event; when its attempts are exhausted the event is
 * dead, until it is replayed. A crash is no failed attempt, however often it happens: the event is run again.
 *
 * Throws `ConfigurationError` (`invalid_option`, `unknown_option`).
 */
export function localQueue(options: LocalQueueOptions = {}): Queue {
  const settings = resolve(options)
  const consumers = new Set<Consumer>()

  return {
    guarantee:
      `this process runs ${settings.concurrency} at a time, straight from the store: none is lost in a crash, ` +
      `and one that fails is tried ${settings.retry.attempts} times`,

    committed() {
      for (const consumer of consumers) consumer.wake()
    },

    async consume(worker, inbox) {
      const consumer = new Consumer(settings, worker, inbox)
      consumers.add(consumer)
      return async () => {
        consumers.delete(consumer)
        await consumer.stop()
      }
    },
  }
}

const defaults = { concurrency: 10, pollSeconds: 1, onError: logError, retry: {} }

function resolve(options: LocalQueueOptions): ConsumerSettings {
  rejectUnknown(options, defaults)
  const settings = { ...defaults, ...given(options) }
  rejectUnknown(settings.retry, defaultRetry)
  const retry = { ...defaultRetry, ...given(settings.retry) }

  for (const [name, value] of Object.entries({
    concurrency: settings.concurrency,
    'retry.attempts': retry.attempts,
  })) {
    if (!(Number.isInteger(value) && value > 0)) throw invalid(`${name} must be a positive whole number`)
  }
  for (const [name, value] of Object.entries({
    pollSeconds: settings.pollSeconds,
    'retry.firstPauseSeconds': retry.firstPauseSeconds,
    'retry.longestPauseSeconds': retry.longestPauseSeconds,
  })) {
    // A timer of Node holds 2^31 - 1 milliseconds; beyond it, it fires at once.
    if (!(value > 0 && value <= 86_400)) throw invalid(`${name} must be a positive number, at most a day`)
  }
  if (typeof settings.onError !== 'function') throw invalid('onError must be a function')
  return { ...settings, retry }
}

/** Without what was given as `undefined`. */
const given = <T extends object>(options: T) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T

function rejectUnknown(options: object, known: object): void {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue
    throw new ConfigurationError(
      'unknown_option',
      `${name} is not an option of localQueue; there are ${Object.keys(known).join(', ')}`,
    )
  }
}

const invalid = (message: string) => new ConfigurationError('invalid_option', message)

function logError(error: unknown): void {
  console.error('webhook-inbox: the local queue cannot use the inbox', error)
}
