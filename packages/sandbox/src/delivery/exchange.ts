import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import {
  AddressRefused,
  addressProblem,
  guardedLookup,
  literalAddress,
  type Resolve,
  type TargetRules,
} from './address-guard.js'
import { AttemptTimeout, type Failure, failureOf } from './failure.js'
import { type Transmission, transmit } from './transmit.js'

/** How much of a response is kept, in bytes. The rest is not read. */
export const maxAnswerBytes = 64 * 1024
/** A response with more bytes of headers is a failure. */
const maxHeaderBytes = 16 * 1024

export type HeaderList = readonly (readonly [name: string, value: string])[]

export interface Outgoing {
  readonly url: string
  readonly headers: HeaderList
  readonly body: Uint8Array
  readonly timeoutSeconds: number
  readonly rules: TargetRules
  readonly resolve: Resolve | undefined
  readonly transmission: Transmission
  /** Aborts the request. */
  readonly signal: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly headers: HeaderList
  /** At most `maxAnswerBytes`. */
  readonly body: Uint8Array
  /** True if the receiver sent more than is kept. */
  readonly isTruncated: boolean
}

/** Milliseconds since the start of the attempt; absent if the attempt ended before. */
export interface Timings {
  connected?: number
  sent?: number
  answered?: number
  ended: number
}

export interface Exchanged {
  /** Present as soon as the headers of a response have arrived. */
  readonly answer: Answer | undefined
  /** Why the exchange was not completed; `undefined` if it was. */
  readonly failure: Failure | undefined
  readonly timings: Timings
}

/**
 * Sends one POST on a new connection and reads the response. Never rejects, follows no redirect, and ends within
 * the timeout. A response that is longer than `maxAnswerBytes` is cut there and counts as complete.
 */
export function exchange(outgoing: Outgoing): Promise<Exchanged> {
  const startedAt = performance.now()
  const elapsed = () => Math.round((performance.now() - startedAt) * 100) / 100
  return new Promise((resolve) => {
    const timings: Timings = { ended: 0 }
    const reader = new AnswerReader()
    let request: ClientRequest | undefined
    let isOver = false
    const finish = (failure?: Failure) => {
      if (isOver) {
        return
      }
      isOver = true
      clearTimeout(timer)
      outgoing.signal.removeEventListener('abort', abort)
      request?.destroy()
      timings.ended = elapsed()
      resolve({ answer: reader.answer(), failure, timings })
    }
    const fail = (error: Error) => finish(failureOf(error))
    const abort = () => fail(new Error('the sandbox was closed'))
    const timer = setTimeout(() => {
      fail(new AttemptTimeout(`no complete response within ${outgoing.timeoutSeconds} s`))
    }, outgoing.timeoutSeconds * 1000)
    outgoing.signal.addEventListener('abort', abort)
    try {
      request = open(outgoing)
    } catch (error) {
      return fail(error as Error)
    }
    request.on('socket', (socket) => {
      const event = outgoing.url.startsWith('https:') ? 'secureConnect' : 'connect'
      socket.once(event, () => {
        timings.connected = elapsed()
      })
    })
    request.on('finish', () => {
      timings.sent = elapsed()
    })
    request.on('error', fail)
    request.on('close', () =>
      fail(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })),
    )
    request.on('response', (response) => {
      timings.answered = elapsed()
      if (outgoing.transmission.kind === 'discard_answer') {
        return finish(discarded)
      }
      reader.read(response, finish, fail)
    })
    transmit(request, outgoing.body, outgoing.transmission, finish)
  })
}

const discarded: Failure = { kind: 'chaos', code: 'dropAnswer', message: 'the response was discarded' }

function open({ url: target, headers, rules, resolve }: Outgoing): ClientRequest {
  const url = new URL(target)
  const address = literalAddress(url)
  const problem = address === undefined ? undefined : addressProblem(address, url.protocol, rules)
  if (problem !== undefined) {
    throw new AddressRefused(problem)
  }
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return request(url, {
    method: 'POST',
    headers: headers.flat(),
    agent: false,
    lookup: guardedLookup(url.protocol, rules, resolve),
    maxHeaderSize: maxHeaderBytes,
  })
}

/** Keeps the first bytes of a response. */
class AnswerReader {
  readonly #chunks: Buffer[] = []
  #response: IncomingMessage | undefined
  #length = 0
  #isTruncated = false

  read(response: IncomingMessage, finish: () => void, fail: (error: Error) => void): void {
    this.#response = response
    response.on('data', (chunk: Buffer) => {
      const space = maxAnswerBytes - this.#length
      this.#chunks.push(chunk.subarray(0, space))
      this.#length += Math.min(chunk.length, space)
      if (chunk.length <= space) {
        return
      }
      this.#isTruncated = true
      finish()
    })
    response.on('end', () => finish())
    response.on('error', fail)
  }

  answer(): Answer | undefined {
    const response = this.#response
    if (!response) {
      return undefined
    }
    const { rawHeaders } = response
    const headers: [string, string][] = []
    for (let i = 0; i < rawHeaders.length; i += 2) {
      headers.push([rawHeaders[i] as string, rawHeaders[i + 1] as string])
    }
    return {
      status: response.statusCode ?? 0,
      headers,
      body: Buffer.concat(this.#chunks),
      isTruncated: this.#isTruncated,
    }
  }
}
