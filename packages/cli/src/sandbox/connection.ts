import type { Call, Options } from '../command.js'
import { UnreachableError, UsageError } from '../exit.js'
import { readUrl } from '../http/url-argument.js'
import { excerpt } from '../printable.js'

export const connectionOptions = {
  url: {
    type: 'string',
    value: 'URL',
    help: 'Where the sandbox listens. Default: the variable SANDBOX_URL, or http://127.0.0.1:4010',
  },
} as const satisfies Options

/** The control plane of a running sandbox. Calls throw `UnreachableError`, and `UsageError` for what it rejects. */
export interface Connection {
  /** Without a slash at its end. */
  readonly origin: string
  get<T>(path: string, query?: Readonly<Record<string, string | undefined>>): Promise<T>
  send<T>(method: 'POST' | 'PUT', path: string, body?: unknown): Promise<T>
}

export function connect({
  values,
  print,
  world,
}: Pick<Call<typeof connectionOptions>, 'values' | 'print' | 'world'>): Connection {
  const given = values.url ?? world.env.SANDBOX_URL ?? 'http://127.0.0.1:4010'
  const { origin } = readUrl(values.url === undefined ? 'SANDBOX_URL' : '--url', given)
  print.working(`waiting for ${origin}`)
  return {
    origin,
    get: (path, query = {}) => {
      const present = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
      const search = new URLSearchParams(present).toString()
      return call(origin, search ? `${path}?${search}` : path, {})
    },
    send: (method, path, body = {}) =>
      call(origin, path, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  }
}

/** Advancing the clock may take as long as all deliveries that become due. */
const timeoutSeconds = { GET: 10, POST: 600, PUT: 10 } as const
/** A sandbox never sends a longer response. */
const maxAnswerBytes = 64 * 1024 * 1024

async function call<T>(origin: string, path: string, request: RequestInit): Promise<T> {
  const seconds = timeoutSeconds[(request.method ?? 'GET') as keyof typeof timeoutSeconds]
  const signal = AbortSignal.timeout(seconds * 1000)
  let response: Response
  let text: string
  try {
    response = await fetchFrom(origin, path, { ...request, signal })
    text = await readText(response)
  } catch (error) {
    throw signal.aborted ? new UnreachableError(`${origin} did not answer within ${seconds} s`) : error
  }
  const value = parse(text)
  if (response.ok && (value !== undefined || text === '')) {
    return value as T
  }
  const { detail, title } = (value ?? {}) as { detail?: unknown; title?: unknown }
  if (response.status < 500 && typeof (detail ?? title) === 'string') {
    throw new UsageError(excerpt(String(detail ?? title), 300))
  }
  throw new UnreachableError(`${origin} answered ${response.status} to ${path}; is it a sandbox?`)
}

async function readText({ body, url }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) {
      throw new UnreachableError(`the response of ${url} has no end; is it a sandbox?`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** `fetch` whose failure names the sandbox and says how to start one. Follows no redirect: a sandbox sends none. */
export async function fetchFrom(origin: string, path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(`${origin}/_sandbox/${path}`, { ...request, redirect: 'manual' })
  } catch (error) {
    if (request.signal?.aborted) {
      throw error
    }
    throw new UnreachableError(`no sandbox answers at ${origin}; start one: webhook-inbox sandbox`)
  }
}

function parse(text: string): unknown {
  if (text === '') {
    return undefined
  }
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
