import { codeOf, errorText, fullMessage } from '../error-text.js'
import { HandlerFailure } from '../errors.js'

/** Long enough for a useful name and message, short enough to list hundreds of them. */
const longest = 2000

/** What an inbox keeps of an error: its name and message, or those of what a handler threw. Never throws. */
export function reasonOf(error: unknown): string {
  try {
    return plainReason(textOf(error instanceof HandlerFailure ? error.cause : error))
  } catch {
    return 'something was thrown that cannot be printed'
  }
}

/** With its cause: `fetch failed` alone does not help an operator. */
function textOf(thrown: unknown): string {
  const own = errorText(thrown)
  const cause = thrown instanceof Error && thrown.cause
  const below = cause instanceof Error ? fullMessage(cause) || codeOf(cause) : undefined
  return below && !own.includes(below) ? `${own}; cause: ${below}` : own
}

/** Limits the length, and replaces zero characters and half characters, which some databases reject. */
export function plainReason(text: string): string {
  return text.slice(0, longest).toWellFormed().replaceAll('\0', '\uFFFD')
}
