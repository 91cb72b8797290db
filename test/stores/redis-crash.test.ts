import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { delivery, newIds, openLedger, secret } from './ledger.js'
import { clientPool } from './redis-clients.js'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const { connect } = clientPool()

let dir: string
let program: string
beforeAll(async () => {
  // Below node_modules, so that the program finds ioredis there.
  const cache = here('../../node_modules/.cache/')
  mkdirSync(cache, { recursive: true })
  dir = mkdtempSync(join(cache, 'webhook-inbox-crash-'))
  program = join(dir, 'receiver.mjs')
  await build({
    entryPoints: [here('./receiver-process.ts')],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['ioredis'],
    alias: { '#crypto': here('../../src/signature/crypto/node.ts') },
    logLevel: 'error',
  })
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Kills of the receiver. */
const rounds = process.env.LONG ? 24 : 8

test('a receiver that is killed repeatedly runs no acknowledged event twice, and loses none', async () => {
  const server = await startRedis({ appendonly: 'yes' })
  const file = join(dir, 'runs.txt')
  writeFileSync(file, '')
  const ids = newIds(rounds * 10)
  const runsOf = (id: string) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line === id).length
  const runsWhenAcknowledged = new Map<string, number>()

  async function startReceiver() {
    const child = fork(program, [String(server.port), secret, file])
    child.on('message', ({ id, status }: { id?: string; status?: number }) => {
      if (id && status === 200 && !runsWhenAcknowledged.has(id)) {
        runsWhenAcknowledged.set(id, runsOf(id))
      }
    })
    await once(child, 'message')
    return child
  }
  const send = async (child: ChildProcess, some: readonly string[]) => {
    for (const id of some) {
      child.connected && child.send(await delivery(id), () => {})
    }
  }
  const kill = async (child: ChildProcess) => {
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }

  try {
    let wasKilledAtWork = 0
    for (let round = 0; round < rounds; round++) {
      const child = await startReceiver()
      // New events, and some of earlier rounds: acknowledged ones, and ones whose holder was killed.
      const batch = [...ids.slice(round * 10, round * 10 + 10), ...ids.slice(0, round * 10).slice(-15)]
      await send(child, [...batch, ...batch])
      await sleep(Math.random() * 60)
      await kill(child)
      wasKilledAtWork += batch.filter((id) => runsOf(id) > 0 && !runsWhenAcknowledged.has(id)).length
    }
    expect(wasKilledAtWork, 'the kills came too late to prove anything').toBeGreaterThan(0)

    const child = await startReceiver()
    for (const startedAt = Date.now(); runsWhenAcknowledged.size < ids.length; await sleep(300)) {
      expect(Date.now() - startedAt, `${runsWhenAcknowledged.size} acknowledged`).toBeLessThan(60_000)
      await send(
        child,
        ids.filter((id) => !runsWhenAcknowledged.has(id)),
      )
    }
    await send(child, ids)
    await sleep(500)
    await kill(child)
    for (const id of ids) {
      const count = runsWhenAcknowledged.get(id)
      expect(count, id).toBeGreaterThan(0)
      expect([id, runsOf(id)]).toEqual([id, count])
    }
  } finally {
    await server.close()
  }
}, 180_000)

test('a Redis that is killed repeatedly loses no acknowledged event with appendfsync always', async () => {
  const server: RedisServer = await startRedis({ appendonly: 'yes', appendfsync: 'always' })
  try {
    const ledger = openLedger({ client: connect(server.port) }, { handle: () => sleep(Math.random() * 20) })
    await ledger.receiver.start()
    const ids = newIds(300)
    let isOver = false
    let kills = 0
    const strikes = (async () => {
      while (!isOver) {
        await sleep(Math.random() * 300)
        await server.kill()
        kills++
        await server.restart()
      }
    })()
    for (let i = 0; i < ids.length; i += 10) {
      const batch = ids.slice(i, i + 10)
      await Promise.all([...batch, ...ids.slice(0, i).slice(-10), ...batch].map(ledger.deliver))
    }
    isOver = true
    await strikes
    expect(kills).toBeGreaterThan(2)
    await ledger.deliverUntilAcknowledged(ids, 100)
    await ledger.audit()
  } finally {
    await server.close()
  }
}, 180_000)
