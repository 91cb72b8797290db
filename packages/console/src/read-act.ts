import { isBlank } from './is-blank.js'
import { mostReason } from './limits.js'
import { Problem } from './problem.js'
import { withinSeconds } from './within-seconds.js'

/** More than the largest body of an edited event, as text in JSON. */
const mostBytes = 4 * 1024 * 1024
/** How much is read of a larger body. A client may read no answer before it has sent its whole body. */
const mostRead = 16 * mostBytes

export type ActBody = Readonly<Record<string, unknown>> & { readonly reason: string }

/** The body of a change: an object, with a reason if one is needed. Throws a `Problem`. */
export async function readAct(
  request: Request,
  { needsReason, seconds }: { readonly needsReason: boolean; readonly seconds: number },
): Promise<ActBody> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new Problem('unsupported_media_type', 'Send the header Content-Type: application/json.')
  }
  const body = parse(await withinSeconds(seconds, readText(request), lateBody))
  const { reason = needsReason ? undefined : '' } = body
  if (typeof reason !== 'string' || (needsReason && isBlank(reason))) {
    throw new Problem('invalid_request', 'Give a reason. It is kept for auditors.')
  }
  if (reason.length > mostReason) {
    throw new Problem('invalid_request', `A reason may have ${mostReason.toLocaleString('en')} characters.`)
  }
  return { ...body, reason }
}

const lateBody = (seconds: number) =>
  new Problem('body_too_slow', `The body of the request has not arrived within ${seconds} seconds.`)

async function readText(request: Request): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader()
  for (;;) {
    const { value: chunk, done = true } = (await reader?.read()) ?? {}
    if (done || !chunk) {
      break
    }
    if (chunk.byteLength === 0) {
      // Empty chunks without end would let no timer fire, so the time would never be up.
      await new Promise((resolve) => setTimeout(resolve))
    }
    size += chunk.byteLength
    if (size > mostRead) {
      break
    }
    if (size <= mostBytes) {
      chunks.push(chunk)
    }
  }
  if (size > mostBytes) {
    throw new Problem('body_too_large', `A body may have ${mostBytes} bytes.`)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): Record<string, unknown> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new Problem('invalid_request', 'The body is not JSON.')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Problem('invalid_request', 'The body must be an object.')
  }
  return body as Record<string, unknown>
}
