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
  if (!(thrown instanceof Error)) {
    return textOfOther(thrown)
  }
  const { name, message, cause } = thrown
  const own = `${name}: ${message}`
  // The code replaces a missing message. Node throws such an error if it tried several addresses.
  const below = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : undefined
  return below && !own.includes(below) ? `${own}; cause: ${below}` : own
}

/** Some SDKs throw plain objects. If one has no message, this keeps only its keys, because its values may be secret. */
function textOfOther(thrown: unknown): string {
  const text = String(thrown)
  if (typeof thrown !== 'object' || thrown === null || !text.startsWith('[object ')) {
    return text
  }
  const { name, message, code } = thrown as Readonly<Record<string, unknown>>
  if (typeof message !== 'string') {
    return `${text} with ${Object.keys(thrown).join(', ') || 'no keys'}`
  }
  const own = typeof name === 'string' ? `${name}: ${message}` : message
  return typeof code === 'string' && !own.includes(code) ? `${own} (${code})` : own
}

/** Limits the length, and replaces zero characters and half characters, which some databases reject. */
export function plainReason(text: string): string {
  return text.slice(0, longest).toWellFormed().replaceAll('\0', '\uFFFD')
}
