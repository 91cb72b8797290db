import type { FailedAttempt } from 'webhook-inbox'

/** An attempt as one line. `before` is the one before it, and `replays` says how often the event was replayed. */
export function inWords(
  { attempt, generation, at = '', error, retryAt, lost, isDone, isUncounted }: FailedAttempt,
  before: FailedAttempt | undefined,
  replays = 0,
): string {
  const replay = generation > 0 ? ` of replay ${generation}` : replays > 0 ? ' of the first run' : ''
  if (lost !== undefined) {
    const numbers = lost === 1 ? `${attempt}` : `${attempt - lost + 1} to ${attempt}`
    return `${numbers}${replay}  left nothing: its process ended or lost its claim, or is of an earlier version`
  }
  const isUnclaimed = attempt === 0 || (before?.attempt === attempt && before.generation === generation)
  const number = isUnclaimed ? `before ${attempt + 1}` : `${attempt}`
  const next = retryAt === undefined ? '' : `; next ${secondsBetween(at, retryAt)} s later`
  const mark = isUncounted ? '; does not count' : ''
  return `${number}${replay}  ${at}  ${isDone ? 'done' : (error ?? '')}${mark}${next}`
}

const secondsBetween = (from: string, to: string) =>
  Number(((Date.parse(to) - Date.parse(from)) / 1000).toPrecision(3))
