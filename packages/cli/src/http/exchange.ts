import http from 'node:http'
import https from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { explainNetworkError } from './network-error.js'

/** The part of a response's body that is kept, in bytes. The rest is not read. */
export const maxAnswerBytes = 65_536

/** How a request is sent. */
export interface WireRequest {
  /** Default `'POST'`. */
  readonly method?: string
  /** Several values of one name become several header lines. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Default: no body. */
  readonly body?: Uint8Array | Upload
  /** Default: a new connection for each request. */
  readonly agent?: http.Agent
}

/** A body that is not sent in one piece. */
export interface Upload {
  readonly pieces: Iterable<Uint8Array>
  /** The Content-Length to declare; `undefined` sends the pieces chunked. */
  readonly declaredBytes: number | undefined
  /** How long to wait between two pieces. Default 0. */
  readonly pauseSeconds?: number
  /** Sends `Expect: 100-continue` and waits for the response to it, for two seconds at most. Default false. */
  readonly expectsContinue?: boolean
  /** Closes the connection after the last piece instead of ending the request. Default false. */
  readonly aborts?: boolean
}

/** The outcome of one request. */
export type Exchange = Answer | NoAnswer

export interface Answer {
  readonly kind: 'answer'
  readonly status: number
  /** By lower-case name; repeated names are joined. */
  readonly headers: Readonly<Record<string, string>>
  /** At most {@link maxAnswerBytes}, read as UTF-8. */
  readonly body: string
  /** Whether the body continued after {@link maxAnswerBytes}. */
  readonly isCut: boolean
  /** Whether the whole request had left before the response began. */
  readonly isUploaded: boolean
  readonly seconds: number
}

export interface NoAnswer {
  readonly kind: 'none'
  /** The code of Node, or one of `TIMEOUT`, `ENDLESS` and `ABORTED`. */
  readonly code: string
  /** What happened and what to do about it. */
  readonly problem: string
  readonly seconds: number
}

/**
 * Sends one request and reads its response, both within `timeoutSeconds`. Follows no redirect and checks certificates, as
 * senders do. Resolves for any behavior of the server. Throws only for headers that cannot be sent.
 */
export function exchange(url: URL, request: WireRequest, timeoutSeconds: number): Promise<Exchange> {
  const { method = 'POST', body, agent } = request
  const { request: open } = url.protocol === 'https:' ? https : http
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const outgoing = open(url, { method, headers: headersOf(request), agent: agent ?? false })
    let isHeadRead = false

    const settle = (result: Exchange) => {
      clearTimeout(timer)
      resolve(result)
      if (result.kind === 'none' || result.isCut || !outgoing.writableFinished) {
        outgoing.destroy()
      }
    }
    const seconds = () => (performance.now() - startedAt) / 1000
    const giveUp = (code: string, problem: string) =>
      settle({ kind: 'none', code, problem, seconds: seconds() })
    const timer = setTimeout(() => {
      if (isHeadRead) {
        giveUp('ENDLESS', `the response began but did not end within ${timeoutSeconds} s`)
      } else {
        giveUp('TIMEOUT', `no response within ${timeoutSeconds} s`)
      }
    }, timeoutSeconds * 1000)

    outgoing.on('error', (error) => giveUp(codeOf(error), explainNetworkError(codeOf(error), url)))
    outgoing.once('response', (incoming) => {
      isHeadRead = true
      const isUploaded = outgoing.writableFinished
      const chunks: Buffer[] = []
      let size = 0
      const finish = (isCut: boolean) => {
        const { statusCode = 0 } = incoming
        const text = Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString()
        const headers = joined(incoming.headers)
        settle({
          kind: 'answer',
          status: statusCode,
          headers,
          body: text,
          isCut,
          isUploaded,
          seconds: seconds(),
        })
      }
      incoming.on('data', (chunk: Buffer) => {
        if (size > maxAnswerBytes) {
          return
        }
        chunks.push(chunk)
        size += chunk.length
        if (size > maxAnswerBytes) {
          finish(true)
        }
      })
      incoming.once('end', () => finish(false))
      incoming.once('error', () => giveUp('CUT_OFF', 'the connection closed in the middle of the response'))
    })

    if (body === undefined || body instanceof Uint8Array) {
      outgoing.end(body)
    } else {
      upload(outgoing, body).then(
        () => body.aborts && giveUp('ABORTED', 'the upload was aborted on purpose'),
        (error) => outgoing.destroy(error),
      )
    }
  })
}

function headersOf({ headers, body }: WireRequest): http.OutgoingHttpHeaders {
  const lines: http.OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(headers)) {
    lines[name] = typeof value === 'string' ? value : [...value]
  }
  if (body === undefined) {
    return lines
  }
  const declaredBytes = body instanceof Uint8Array ? body.length : body.declaredBytes
  if (declaredBytes === undefined) {
    lines['transfer-encoding'] = 'chunked'
  } else {
    lines['content-length'] = declaredBytes
  }
  if ('expectsContinue' in body && body.expectsContinue) {
    lines.expect = '100-continue'
  }
  return lines
}

async function upload(outgoing: http.ClientRequest, body: Upload): Promise<void> {
  const { pieces, pauseSeconds = 0, expectsContinue, aborts } = body
  if (expectsContinue) {
    await settled(outgoing, ['continue', 'response', 'close'], 2)
  }
  for (const piece of pieces) {
    if (outgoing.destroyed) {
      return
    }
    if (!outgoing.write(piece)) {
      await settled(outgoing, ['drain', 'close'])
    }
    if (pauseSeconds > 0) {
      await pause(pauseSeconds * 1000)
    }
  }
  if (!aborts) {
    outgoing.end()
  }
}

/** Resolves at the first of the events, or when the time is up. */
function settled(
  outgoing: http.ClientRequest,
  events: readonly string[],
  timeoutSeconds?: number,
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      for (const event of events) {
        outgoing.off(event, done)
      }
      resolve()
    }
    const timer = timeoutSeconds === undefined ? undefined : setTimeout(done, timeoutSeconds * 1000)
    for (const event of events) {
      outgoing.once(event, done)
    }
  })
}

function joined(headers: http.IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return Object.fromEntries(entries)
}

const codeOf = (error: Error) => (error as NodeJS.ErrnoException).code ?? 'UNKNOWN'
