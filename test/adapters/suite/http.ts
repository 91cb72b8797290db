import http from 'node:http'
import net from 'node:net'
import type { Signed } from './signed.js'

/** Longer than any response takes on a busy machine. */
export const patienceMs = 15_000

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  /** The parsed JSON body, `undefined` if the body is no JSON. */
  readonly json: { outcome?: string; code?: string; eventId?: string } | undefined
}

export const brief = ({ status, json }: Answer) => [status, json?.outcome, json?.code]

export interface RequestParts {
  readonly method?: string
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: Uint8Array | string | undefined
  /** Chunks to send one by one in place of `body`. */
  readonly chunks?: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>
  readonly agent?: http.Agent
}

/** Sends one request over a real socket. Rejects when no complete response arrives in time. */
export function request(url: string, parts: RequestParts): Promise<Answer> {
  const { method = 'POST', headers = {}, body, chunks, agent } = parts
  return new Promise((resolve, reject) => {
    const outgoing = http.request(url, { method, headers, agent: agent ?? false, timeout: patienceMs })
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no response within ${patienceMs} ms`)))
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => readAnswer(incoming).then(resolve, reject))
    if (chunks) {
      sendChunks(outgoing, chunks).catch(reject)
    } else {
      outgoing.end(body)
    }
  })
}

async function sendChunks(outgoing: http.ClientRequest, chunks: NonNullable<RequestParts['chunks']>) {
  outgoing.setNoDelay(true)
  for await (const chunk of chunks) {
    if (outgoing.destroyed) {
      return
    }
    await new Promise((resolve) => outgoing.write(chunk, resolve))
  }
  outgoing.end()
}

async function readAnswer(incoming: http.IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) {
    chunks.push(chunk)
  }
  return toAnswer(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(chunks).toString())
}

function toAnswer(status: number, headers: http.IncomingHttpHeaders, text: string): Answer {
  try {
    return { status, headers, text, json: JSON.parse(text) }
  } catch {
    return { status, headers, text, json: undefined }
  }
}

/** Sends a signed delivery. `headers` adds headers, and `undefined` removes one. */
export function deliver(url: string, { headers, body }: Signed, parts: RequestParts = {}): Promise<Answer> {
  const merged = withoutUndefined({ ...headers, ...parts.headers })
  return request(url, { ...(parts.chunks ? {} : { body }), ...parts, headers: merged })
}

const withoutUndefined = (headers: http.OutgoingHttpHeaders): http.OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))

/** A socket for raw bytes. It never throws. Errors show in what it reads. */
export class RawConnection {
  readonly socket: net.Socket
  #received = Buffer.alloc(0)
  #closed = false
  #wake = () => {}

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.socket = net.connect(Number(port), hostname)
    this.socket.setNoDelay(true)
    this.socket.on('error', () => {})
    this.socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#wake()
    })
    this.socket.on('close', () => {
      this.#closed = true
      this.#wake()
    })
  }

  /** Everything received so far. */
  get text(): string {
    return this.#received.toString('latin1')
  }

  get closed(): boolean {
    return this.#closed
  }

  write(bytes: Uint8Array | string): void {
    if (!this.socket.destroyed) {
      this.socket.write(bytes)
    }
  }

  /** Resolves to the received text once it satisfies `found`. Rejects after a time limit. */
  async until(found: (text: string, closed: boolean) => boolean, what = 'the answer'): Promise<string> {
    const deadline = Date.now() + patienceMs
    while (!found(this.text, this.#closed)) {
      const left = deadline - Date.now()
      if (left <= 0) {
        throw new Error(`${what} did not come within ${patienceMs} ms; received: ${this.text}`)
      }
      if (this.#closed) {
        throw new Error(`the connection closed before ${what}; received: ${this.text}`)
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return this.text
  }

  /** Resolves to the received text when the other side has closed. */
  untilClosed(): Promise<string> {
    return this.until((_, closed) => closed, 'the end of the connection')
  }

  /** Resolves to the first response when its body is complete. */
  async answer(): Promise<Answer> {
    const text = await this.until(isWholeAnswer)
    const [head = '', ...rest] = text.split('\r\n\r\n')
    const [statusLine = '', ...lines] = head.split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => {
        const at = line.indexOf(':')
        return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
      }),
    )
    const body = rest.join('\r\n\r\n')
    const isChunked = headers['transfer-encoding'] === 'chunked'
    return toAnswer(Number(statusLine.split(' ')[1]), headers, isChunked ? unchunked(body) : body)
  }

  destroy(): void {
    this.socket.destroy()
  }
}

/** Decodes a chunked body. Some frameworks send one although they know the length. */
function unchunked(body: string): string {
  const end = body.indexOf('\r\n')
  const size = Number.parseInt(body, 16)
  return size > 0 ? body.slice(end + 2, end + 2 + size) + unchunked(body.slice(end + 4 + size)) : ''
}

function isWholeAnswer(text: string, closed: boolean): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) {
    return false
  }
  const length = /^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1]
  if (length !== undefined) {
    return text.length >= end + 4 + Number(length)
  }
  return closed || text.endsWith('0\r\n\r\n')
}

/** Returns the head of an HTTP/1.1 request. Header lines are written as given, so that a header can be repeated. */
export function rawRequest(
  url: string,
  method: string,
  headers: readonly (readonly [string, string])[],
): string {
  const { host, pathname } = new URL(url)
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `${method} ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${lines}\r\n`
}
