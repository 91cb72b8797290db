import { abortable } from './abortable.js'
import { UsageError } from './errors.js'
import type { CallOptions, Settings } from './options.js'

/** The headers of one request, and a function that removes its credentials from a text. */
export interface Authorized {
  readonly headers: Headers
  readonly redact: (text: string) => string
}

/** Adds the credentials of this request to the headers of a call. Rejects with any error of `auth`. */
export async function authorize(
  settings: Settings,
  request: { method: string; url: string; own: Record<string, string> },
  options: CallOptions,
): Promise<Authorized> {
  const { method, url, own } = request
  const given = await abortable(options.signal, async () => settings.auth({ method, url }))
  const headers = toHeaders(options.headers, 'headers')
  const authorization = toHeaders(given, 'the headers of auth')
  for (const part of [authorization, toHeaders(own, 'the headers of the client')]) {
    for (const [name, value] of part) {
      headers.set(name, value)
    }
  }
  const secrets = [...authorization.values()].flatMap(secretsOf)
  return {
    headers,
    redact: (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[credential]'), text),
  }
}

/** The error of `Headers` shows the value, which may be a key. */
function toHeaders(init: HeadersInit | undefined, where: string): Headers {
  try {
    return new Headers(init)
  } catch {
    throw new UsageError('invalid_header', `${where} have a name or a value that HTTP does not allow`)
  }
}

/** A whole value, and the credential in it without its scheme. Shorter ones would match by chance. */
const secretsOf = (value: string) =>
  [value, value.slice(value.lastIndexOf(' ') + 1)].filter(({ length }) => length >= 8)
