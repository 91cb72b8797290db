/** A response that is no success, or none at all. The message says what happened, for a person. */
export class CallError extends Error {
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

export const noAnswer = 'The sandbox does not respond. Start it again; this page reconnects by itself.'

/** The key of the API, for the paths below `/v1`. Known once the configuration is read. */
let apiKey = ''

export function useKey(key: string): void {
  apiKey = key
}

/** Calls the sandbox that served this page. Rejects with `CallError`. */
export async function call<Answer>(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
): Promise<Answer> {
  const headers = new Headers()
  if (body !== undefined) {
    headers.set('Content-Type', 'application/json')
  }
  if (path.startsWith('/v1/')) {
    headers.set('Authorization', `Bearer ${apiKey}`)
  }
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const response = await fetch(path, init).catch(() => {
    throw new CallError(noAnswer)
  })
  const text = await response.text()
  if (!response.ok) {
    throw new CallError(detailOf(text) ?? `The sandbox responded ${response.status}.`, response.status)
  }
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

/** What a problem document says. */
function detailOf(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    return typeof detail === 'string' ? detail : undefined
  } catch {
    return undefined
  }
}
