import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createSandbox, type Sandbox, type SandboxOptions } from '../src/index.js'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly body: any
}

export interface TestSandbox extends Sandbox {
  /** Sends a request through the port. An object is sent as JSON. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  get(path: string): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** A sandbox on a free port, with a virtual clock unless the test needs the real one. Closed with the test. */
export async function startTestSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await createSandbox({ port: 0, clock: 'virtual', ...options })
  onTestFinished(() => sandbox.close())
  const request: TestSandbox['request'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${sandbox.url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${sandbox.apiKey}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      redirect: 'manual',
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  return {
    ...sandbox,
    request,
    get: (path) => request('GET', path),
    post: (path, body, headers) => request('POST', path, body, headers),
  }
}

/** Shape A, with what a test changes. */
export const shapeA = (network = 'sim_settle', changes: object = {}) => ({
  source: 'wallet_kes_ada',
  destination: { type: 'mobile_money', network, phone: '+254712345678' },
  amount: '10.50',
  currency: 'KES',
  ...changes,
})

/** Shape B, with what a test changes. */
export const shapeB = (rail = 'sim_settle', changes: object = {}) => ({
  source: 'wallet_kes_ada',
  destination: 'wallet_kes_ben',
  amount: 10.5,
  currency: 'KES',
  rail,
  ...changes,
})

export interface Received {
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: the event as a receiver reads it
  readonly event: any
}

export interface TestReceiver {
  readonly url: string
  readonly received: Received[]
  readonly types: () => string[]
}

/** A receiver on loopback that acknowledges everything, or answers with the status that `statusOf` gives. */
export async function startReceiver(
  statusOf: (received: Received) => number = () => 200,
): Promise<TestReceiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const one = { headers: request.headers, body, event: JSON.parse(body.toString()) }
      received.push(one)
      response.writeHead(statusOf(one)).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    received,
    types: () => received.map(({ event }) => event.type),
  }
}

/** The path of a state file in a folder of its own, which is deleted after the test. */
export function stateFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'state.sqlite')
}
