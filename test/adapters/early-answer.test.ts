import Fastify from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { fastifyPlugin } from '../../adapters/fastify.js'
import { nodeHandler } from '../../adapters/node.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { deliver, RawConnection, rawRequest } from './suite/http.js'
import { listen } from './suite/listen.js'
import { secret, signed } from './suite/signed.js'

const open = (): Receiver =>
  createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })

test('the connection of a delivery that was answered early closes as soon as its upload ends', async () => {
  const { url, close } = await listen(nodeHandler(open()))
  onTestFinished(() => void close())
  const { setTimeout: real } = globalThis
  // The handler waits two seconds for the rest of an upload. Here this time never ends.
  vi.stubGlobal('setTimeout', (run: () => void, delay = 0, ...rest: []) =>
    real(run, delay === 2000 ? 600_000 : delay, ...rest),
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  const connection = new RawConnection(url)
  const lines: [string, string][] = [
    ['content-type', 'application/json'],
    ['content-length', '20'],
  ]
  connection.write(rawRequest(url, 'POST', lines))
  connection.write('12345')
  expect((await connection.answer()).status).toBe(401)
  expect(connection.closed).toBe(false)
  connection.write('678901234567890')
  await connection.untilClosed()
})

test('the line on stderr says who rejected', async () => {
  const stderr = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => stderr.mockRestore())
  const cause = new Error('program error')
  const { url, close } = await listen(nodeHandler({ receive: () => Promise.reject(cause) } as never))
  onTestFinished(() => void close())
  await deliver(url, await signed())
  expect(stderr.mock.calls).toEqual([['webhook-inbox: the receiver rejected', cause]])
})

test('a route of Fastify with an empty path serves the prefix itself', async () => {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(fastifyPlugin, { prefix: '/webhooks', path: '', receiver: open() })
  onTestFinished(() => app.close())
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/webhooks`
  expect((await deliver(url, await signed())).status).toBe(200)
})
