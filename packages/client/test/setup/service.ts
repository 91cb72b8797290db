import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../../src/index.js'

/** A request as it arrived at the server. */
export interface Arrived {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Answers one request, well or badly. */
export type Behavior = (response: ServerResponse, request: Arrived) => void

export const key = 'sk_test_4f6b1c9e2a7d'

/** A server that answers the first request by the first behavior, and all others after them by the last. */
export async function startService(...behaviors: Behavior[]) {
  const requests: Arrived[] = []
  const arrival = new EventTarget()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) {
      chunks.push(chunk)
    }
    const { method = '', url: path = '', headers } = request
    const arrived = { method, path, headers, body: Buffer.concat(chunks).toString() }
    requests.push(arrived)
    arrival.dispatchEvent(new Event('request'))
    const behavior = behaviors[Math.min(requests.length, behaviors.length) - 1]
    behavior?.(response, arrived)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    server,
    /** Resolves when so many requests have arrived. */
    async arrived(count: number) {
      while (requests.length < count) {
        await new Promise((resolve) => arrival.addEventListener('request', resolve, { once: true }))
      }
    },
  }
}

type Rest = Omit<Partial<ClientOptions>, 'apiKey' | 'auth'>

/** A client that retries without a pause, unless told otherwise. */
export function quickClient(baseUrl: string, options: Rest = {}): Client {
  return createClient({ baseUrl, apiKey: key, retry: { firstPauseSeconds: 0 }, ...options })
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Behavior =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

export const wallet = {
  id: 'wallet_kes_ada',
  object: 'wallet',
  owner: 'cus_ada',
  currency: 'KES',
  status: 'active',
  balance: { available: '1000000.00', pending: '0.00' },
  createdAt: '2026-01-02T03:04:05.678Z',
}

/** The connection ends before a byte of an answer. */
export const reset: Behavior = (response) => response.socket?.resetAndDestroy()

/** Half of the body that was announced. */
export const half: Behavior = (response) => {
  const body = JSON.stringify(wallet)
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': body.length })
  response.write(body.slice(0, 20), () => response.socket?.destroy())
}

/** Nothing, ever. */
export const silence: Behavior = () => {}

/** Headers, and then nothing. */
export const silenceAfterHeaders: Behavior = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":')
}

/** The error that a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expectedFailure(),
    (error: unknown) => error,
  )
}

function expectedFailure(): never {
  throw new Error('The call did not fail')
}
