import { type Code, explain } from './codes.js'
import type { ReceiveResult, Unacknowledged } from './result.js'

/** Where the receiver writes lines for the operator; `console` is one. */
export interface Logger {
  info(line: string): void
  warn(line: string): void
  error(line: string, cause?: unknown): void
}

/** One line of a kind of refusal in this time: a forger must not be able to fill the log. */
const quietSeconds = 60

/** Writes what an operator should see of results: failures each, refusals once a minute and code. */
export function resultLog(logger: Logger | false): (result: ReceiveResult) => void {
  if (!logger) return () => {}
  const lastLine = new Map<Code, number>()

  function warnOnce(result: Unacknowledged): void {
    const now = performance.now() / 1000
    const last = lastLine.get(result.code)
    if (last !== undefined && now - last < quietSeconds) return
    lastLine.set(result.code, now)
    if (logger) logger.warn(`webhook-inbox: ${explain(result.code, result.detail)}`)
  }

  return (result) => {
    switch (result.outcome) {
      case 'failed':
        logger.error(
          `webhook-inbox: event ${result.eventId ?? '?'}: ${explain(result.code, result.detail)}`,
          result.cause,
        )
        break
      case 'rejected':
        warnOnce(result)
        break
      default:
        for (const warning of result.warnings ?? [])
          logger.warn(`webhook-inbox: event ${result.eventId}: ${warning}`)
    }
  }
}
