import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { redisStore } from '../../src/stores/redis.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { startTcpProxy, type TcpProxy } from '../servers/tcp-proxy.js'
import { bundle, type Program } from '../setup/bundle.js'
import { delivery, secret } from './ledger.js'
import { clientPool } from './redis-clients.js'

const { connect } = clientPool()

let dir: string
let program: Program
let server: RedisServer
let proxy: TcpProxy
let child: ChildProcess
const file = () => join(dir, 'runs.txt')

beforeAll(async () => {
  program = await bundle(join(import.meta.dirname, 'receiver-process.ts'))
  dir = mkdtempSync(join(tmpdir(), 'webhook-inbox-late-'))
  writeFileSync(file(), '')
  server = await startRedis({ appendonly: 'yes' })
  proxy = await startTcpProxy(server.port)
  child = fork(program.path, [String(proxy.port), secret, file()])
  await once(child, 'message')
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await proxy?.close()
  await server?.close()
  program?.remove()
  rmSync(dir, { recursive: true, force: true })
})

test('a process that was stopped between a claim and its reply does not run an event that another has done', async () => {
  const redis = connect(server.port)
  let runs = 0
  const other = createReceiver({
    secret,
    store: redisStore({ client: redis }),
    leaseSeconds: 1,
    handlerTimeoutSeconds: 0.4,
    logger: false,
    fallback: () => {
      runs++
    },
  })
  const sent = await delivery('evt_late')
  proxy.holdReplies()
  const answered = once(child, 'message')
  child.send(sent)
  while ((await redis.keys('webhook-inbox:*')).length < 2) {
    await sleep(5)
  }
  child.kill('SIGSTOP')
  proxy.release()

  const request = { headers: sent.headers, body: new TextEncoder().encode(sent.body) }
  while ((await other.receive(request)).status !== 200) {
    await sleep(50)
  }
  expect(runs).toBe(1)
  child.kill('SIGCONT')
  const [{ status }] = await answered
  expect([status, readFileSync(file(), 'utf8')]).toEqual([503, ''])
})
