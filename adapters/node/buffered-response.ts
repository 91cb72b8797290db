import type { ServerResponse } from 'node:http'
import type { ReceiveResult } from '../../src/adapter-port.js'

type Method = (...args: unknown[]) => unknown

/** Methods that change headers. They must throw once the head is written. */
const headerMethods = ['setHeader', 'appendHeader', 'setHeaders', 'removeHeader'] as const

/**
 * Buffers the response of a route until the event is marked as done, because a 2xx must not be sent earlier. The route
 * sees a response that looks sent.
 *
 * The whole response stays in memory until `end()`, so a webhook route must not stream a large body.
 */
export class BufferedResponse {
  /** Resolves when the route has answered 2xx. Rejects when it has answered anything else, or has destroyed the response. */
  readonly settled: Promise<void>
  readonly #response: ServerResponse
  readonly #before: { headers: ReturnType<ServerResponse['getHeaders']>; statusMessage: string }
  readonly #calls: (() => unknown)[] = []
  #mode: 'held' | 'released' | 'replaced' = 'held'
  #status: number | undefined
  #ended = false
  #error: unknown
  #settle!: (status: number) => void

  constructor(response: ServerResponse) {
    this.#response = response
    this.#before = { headers: { ...response.getHeaders() }, statusMessage: response.statusMessage }
    this.settled = new Promise((resolve, reject) => {
      this.#settle = (status) => {
        if (isSuccess(status)) {
          resolve()
        } else {
          reject(answered(status, this.#error))
        }
      }
    })
    // When the route throws, no code awaits this promise.
    this.settled.catch(() => {})
    this.#takeOver()
  }

  /**
   * What the route threw, if the framework says it. The answer of the framework says less. If the route has begun a response, it looks
   * sent, so most frameworks never end it. Then the route fails, unless the framework ends the response in the same turn.
   */
  noteError(error: unknown): void {
    this.#error = error
    if (this.#status !== undefined && !this.#ended) {
      setImmediate(() => this.#settle(500))
    }
  }

  /**
   * Call it when the route has ended. If the connection is closed, the framework writes no response, so `status` decides.
   */
  settleOnceClosed(status: number): void {
    if (this.#response.closed) {
      this.#settle(status)
    } else {
      this.#response.once('close', () => this.#settle(status))
    }
  }

  /**
   * Sends the response of the route. If the response is 2xx but the event could not be marked as done, sends the result
   * instead.
   */
  conclude(result: ReceiveResult): void {
    const isKept = result.outcome === 'processed' || !isSuccess(this.#status)
    if (this.#ended && isKept) {
      this.#release()
    } else {
      this.#replace(result)
    }
  }

  #release(): void {
    this.#mode = 'released'
    this.#response.statusCode = this.#status as number
    for (const call of this.#calls) {
      call()
    }
  }

  #replace({ status, headers, body }: ReceiveResult): void {
    const response = this.#response
    const routeStatus = response.statusCode
    this.#mode = 'released'
    for (const name of response.getHeaderNames()) {
      response.removeHeader(name)
    }
    for (const [name, value] of Object.entries(this.#before.headers)) {
      if (value !== undefined) {
        response.setHeader(name, value)
      }
    }
    response.statusMessage = this.#before.statusMessage
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
    response.end(body)
    this.#mode = 'replaced'
    response.statusCode = routeStatus
  }

  /** Overrides the methods of the response. Overrides that middleware made earlier still run when the response is sent. */
  #takeOver(): void {
    this.#override('writeHead', (writeHead, args) => {
      if (this.#status !== undefined) {
        throw headersSent()
      }
      this.#response.statusCode = args[0] as number
      return this.#keep(writeHead, args, this.#response)
    })
    this.#override('flushHeaders', (flushHeaders) => this.#keep(flushHeaders, [], undefined))
    this.#override('write', (write, args) => {
      const { callback, rest } = splitCallback(args)
      if (callback) {
        process.nextTick(callback)
      }
      return this.#ended ? false : this.#keep(write, rest, true)
    })
    this.#override('end', (end, args) => {
      const { callback, rest } = splitCallback(args)
      if (callback) {
        this.#response.once('finish', callback)
      }
      if (this.#ended) {
        return this.#response
      }
      this.#keep(end, rest, undefined)
      this.#ended = true
      this.#settle(this.#status as number)
      return this.#response
    })
    this.#override('destroy', (destroy, args) => {
      if (this.#mode === 'held') {
        destroy(...args)
      }
      this.#settle(500)
      return this.#response
    })
    for (const name of headerMethods) {
      this.#override(name, (method, args) => {
        if (this.#status !== undefined) {
          throw headersSent()
        }
        return this.#mode === 'held' ? method(...args) : this.#response
      })
    }
    this.#show('headersSent', () => this.#status !== undefined)
    this.#show('writableEnded', () => this.#ended)
  }

  #override(
    name: keyof ServerResponse & string,
    instead: (original: Method, args: unknown[]) => unknown,
  ): void {
    const methods = this.#response as unknown as Record<string, Method | undefined>
    const original = methods[name]?.bind(this.#response)
    if (!original) {
      return
    }
    methods[name] = (...args) => (this.#mode === 'released' ? original(...args) : instead(original, args))
  }

  #show(property: 'headersSent' | 'writableEnded', seen: () => boolean): void {
    const prototype = Object.getPrototypeOf(this.#response)
    Object.defineProperty(this.#response, property, {
      configurable: true,
      get: () => (this.#mode === 'released' ? Reflect.get(prototype, property, this.#response) : seen()),
    })
  }

  /** Keeps a call for later. The first call fixes the status, as the first write of a real response does. */
  #keep<T>(method: Method, [chunk, ...rest]: unknown[], returned: T): T {
    this.#status ??= this.#response.statusCode
    // A producer may reuse its buffer after the write.
    const kept = chunk instanceof Uint8Array ? Buffer.from(chunk) : chunk
    if (this.#mode === 'held') {
      this.#calls.push(() => method(kept, ...rest))
    }
    return returned
  }
}

const isSuccess = (status = 0) => status >= 200 && status < 300

function splitCallback(args: unknown[]): { callback: (() => void) | undefined; rest: unknown[] } {
  const callback = args.find((arg) => typeof arg === 'function') as (() => void) | undefined
  return { callback, rest: args.filter((arg) => typeof arg !== 'function') }
}

const headersSent = () =>
  Object.assign(new Error('Cannot change headers after they are sent to the client'), {
    code: 'ERR_HTTP_HEADERS_SENT',
  })

/** Without a stack, which would show only this library and not the route. */
function answered(status: number, cause: unknown): Error {
  const error = new Error(`the route answered ${status}`, cause === undefined ? {} : { cause })
  error.stack = String(error)
  return error
}
