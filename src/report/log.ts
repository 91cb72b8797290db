import { type Code, explain, oneLine } from '../codes.js'
import type { ReceiveResult, Unacknowledged } from '../result.js'

/** Where the receiver writes lines for the operator; `console` is one. */
export interface Logger {
  info(line: string): void
  warn(line: string): void
  error(line: string, cause?: unknown): void
}

/** One line of a kind of refusal in this time: a forger must not be able to fill the log. */
const quietSeconds = 60

/** So many warnings of one event are written; an event that is odd all over is odd in few ways. */
const mostWarnings = 10

/** Of so many types that nobody handles it is written that they are ignored. */
const mostTypes = 100

/**
 * Writes what an operator should see of results. What concerns an authentic event is written each time; what anybody can
 * cause, since nothing was verified yet, once a minute and code.
 */
export function resultLog(logger: Logger | false): (result: ReceiveResult) => void {
  if (!logger) return () => {}
  const lastLine = new Map<Code, number>()
  const ignoredTypes = new Set<string>()

  /** A subscription nobody handles should be noticed, once; the sender decides how many types there are. */
  const noteIgnored = (type: string | undefined): void => {
    if (type === undefined || ignoredTypes.has(type) || ignoredTypes.size >= mostTypes) return
    ignoredTypes.add(type)
    logger.info(`webhook-inbox: no handler for ${type}: acknowledged as ignored, from now on silently`)
  }

  function isQuiet({ code, event }: Unacknowledged): boolean {
    if (event) return false
    const now = performance.now() / 1000
    const last = lastLine.get(code)
    if (last !== undefined && now - last < quietSeconds) return true
    lastLine.set(code, now)
    return false
  }

  return (result) => {
    switch (result.outcome) {
      case 'failed':
        if (!isQuiet(result))
          logger.error(`${subject(result)}: ${explain(result.code, result.detail)}`, result.cause)
        break
      case 'rejected':
        if (!isQuiet(result)) logger.warn(`${subject(result)}: ${explain(result.code, result.detail)}`)
        break
      case 'quarantined':
        logger.warn(`${subject(result)}: quarantined${result.code ? `: ${explain(result.code)}` : ''}`)
        break
      case 'ignored':
        noteIgnored(result.event?.type)
        break
      default:
        for (const warning of result.warnings?.slice(0, mostWarnings) ?? [])
          logger.warn(`${subject(result)}: ${oneLine(warning)}`)
    }
  }
}

const subject = ({ eventId }: ReceiveResult) =>
  eventId === undefined ? 'webhook-inbox' : `webhook-inbox: event ${eventId}`
