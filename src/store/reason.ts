import { HandlerFailure } from '../errors.js'

/** Long enough for a useful name and message, short enough to list hundreds of them. */
const longest = 2000

/** What an inbox keeps of an error: its name and message, or those of what a handler threw. Never throws. */
export function reasonOf(error: unknown): string {
  const thrown = error instanceof HandlerFailure ? error.cause : error
  try {
    return plainReason(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown))
  } catch {
    return 'something was thrown that cannot be printed'
  }
}

/** Limits the length, and replaces zero characters, which some databases reject. */
export function plainReason(text: string): string {
  return text.slice(0, longest).replaceAll('\0', '\uFFFD')
}
