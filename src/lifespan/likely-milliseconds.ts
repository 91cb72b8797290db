import type { Pipeline } from '../options/settings.js'

const [minute, hour] = [60, 3600]

/** The longest plausible value of each duration, in seconds. */
const plausible = {
  handlerTimeoutSeconds: hour,
  leaseSeconds: hour,
  bodyTimeoutSeconds: 10 * minute,
  pruneEverySeconds: 24 * hour,
  undoSeconds: 24 * hour,
  toleranceSeconds: 24 * hour,
  'breaker.retryAfterSeconds': hour,
  'queue.pollSeconds': 10 * minute,
  'queue.sweepSeconds': 10 * minute,
  'queue.takeOverSeconds': hour,
  'queue.retry.firstPauseSeconds': hour,
  'queue.retry.longestPauseSeconds': 24 * hour,
}

/**
 * Warns of durations that are probably milliseconds. They are valid, because a handler may run for hours. No one would
 * notice a lease of a day before a process dies.
 */
export function likelyMilliseconds({ queue, breaker, ...settings }: Pipeline): string[] {
  const durations: Readonly<Record<string, unknown>> = {
    ...settings,
    ...prefixed('breaker', breaker),
    ...prefixed('queue', queue?.durations ?? queue),
  }
  const doubtful = Object.entries(plausible).flatMap(([name, longest]) => {
    const value = durations[name]
    return typeof value === 'number' && isDoubtful(value, longest) ? `${name} ${value}` : []
  })
  const fact = `these durations are in seconds, not milliseconds, and look too long: ${doubtful.join(', ')}`
  return doubtful.length === 0 ? [] : [`${fact}; fix: give seconds, or ignore this if they are right`]
}

/** Somebody who means seconds gives minutes or hours, and only a few whole hours are a multiple of 1,000. */
const isDoubtful = (value: number, longest: number): boolean =>
  value > longest || (value >= 1000 && value % 1000 === 0 && value % hour !== 0)

const prefixed = (prefix: string, options: object | undefined) =>
  Object.fromEntries(Object.entries(options ?? {}).map(([name, value]) => [`${prefix}.${name}`, value]))
