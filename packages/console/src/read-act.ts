import { mostReason } from './limits.js'
import { Problem } from './problem.js'

/** More than the largest body of an edited event, as text in JSON. */
const mostBytes = 4 * 1024 * 1024

/** The body of a change: an object, with a reason if one is needed. Throws a `Problem`. */
export async function readAct(
  request: Request,
  { needsReason }: { readonly needsReason: boolean },
): Promise<Readonly<Record<string, unknown>> & { readonly reason: string }> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new Problem('unsupported_media_type', 'Send the header Content-Type: application/json.')
  }
  const body = parse(await readText(request))
  const { reason = needsReason ? undefined : '' } = body
  if (typeof reason !== 'string' || (needsReason && reason.trim() === '')) {
    throw new Problem('invalid_request', 'Give a reason. It is kept for auditors.')
  }
  if (reason.length > mostReason) {
    throw new Problem('invalid_request', `A reason may have ${mostReason.toLocaleString('en')} characters.`)
  }
  return { ...body, reason }
}

async function readText(request: Request): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader()
  for (;;) {
    const { value: chunk, done = true } = (await reader?.read()) ?? {}
    if (done || !chunk) {
      return Buffer.concat(chunks).toString('utf8')
    }
    size += chunk.byteLength
    if (size > mostBytes) {
      throw new Problem('body_too_large', `A body may have ${mostBytes} bytes.`)
    }
    chunks.push(chunk)
  }
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
