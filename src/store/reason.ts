import { HandlerFailure } from '../errors.js'

/** Long enough for any name and message worth reading, short enough to list hundreds. */
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

/** Cut to a length, and without the zero character, at which some databases end a text and others refuse it. */
export function plainReason(text: string): string {
  return text.slice(0, longest).replaceAll('\0', '\uFFFD')
}
