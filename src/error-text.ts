/** Enough to see why, and short enough for one line. */
const mostErrors = 3

/** The name and message of an error, with its code. For any other value its text. Throws if the value cannot be read. */
export function errorText(thrown: unknown): string {
  if (!(thrown instanceof Error)) {
    return textOfOther(thrown)
  }
  return withCode(`${thrown.name}: ${fullMessage(thrown)}`, thrown)
}

/**
 * The message of an error, with those of the errors that it collects. Node throws an `AggregateError` without a message if it
 * tried several addresses.
 */
export function fullMessage(error: Error): string {
  const { message } = error
  const all = error instanceof AggregateError ? collected(error) : ''
  return message && all ? `${message}; causes: ${all}` : message || all
}

function collected({ errors }: AggregateError): string {
  const texts = new Set<string>()
  // A program can add thousands.
  for (const each of errors.slice(0, 100)) {
    texts.add(each instanceof Error ? each.message || codeOf(each) || each.name : textOfOther(each))
  }
  const named = [...texts].slice(0, mostErrors).join(', ')
  return texts.size > mostErrors ? `${named} and ${texts.size - mostErrors} more` : named
}

/** Some SDKs throw plain objects. If one has no message, this keeps only its keys, because its values may be secret. */
function textOfOther(thrown: unknown): string {
  const text = String(thrown)
  if (typeof thrown !== 'object' || !text.startsWith('[object ')) {
    return text
  }
  const record = thrown as Readonly<Record<string, unknown>>
  const { name, message } = record
  if (typeof message !== 'string') {
    return `${text} with ${Object.keys(record).join(', ') || 'no keys'}`
  }
  return withCode(typeof name === 'string' ? `${name}: ${message}` : message, record)
}

/** The code of an error of Node, of a database or of an SDK. It says more than many messages. */
const withCode = (text: string, thrown: object): string => {
  const code = codeOf(thrown)
  return code === undefined || text.includes(code) ? text : `${text} (${code})`
}

export function codeOf(thrown: object): string | undefined {
  const { code } = thrown as { readonly code?: unknown }
  return typeof code === 'string' && /^[\w.-]{1,60}$/.test(code) ? code : undefined
}
