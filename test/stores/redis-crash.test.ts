import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { bundle, type Program } from '../setup/bundle.js'
import { delivery, newIds, openLedger, secret } from './ledger.js'
import { clientPool } from './redis-clients.js'

const { connect } = clientPool()

let dir: string
let program: Program
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'webhook-inbox-crash-'))
  program = await bundle(join(import.meta.dirname, 'receiver-process.ts'))
})
afterAll(() => {
  program.remove()
  rmSync(dir, { recursive: true, force: true })
})

/** Kills of the receiver. */
const rounds = process.env.LONG ? 24 : 8

const newEvents = 10

/** A step that every round reaches, also on a slow machine: each of its new events runs, which is twice as many. */
function randomStep(round: number): string {
  const count = 1 + Math.floor((Math.random() * newEvents) / 2)
  return round % 2 === 0 ? `in run ${count}` : `after acknowledgement ${count}`
}

test('a receiver that is killed repeatedly runs no acknowledged event twice, and loses none', async () => {
  const server = await startRedis({ appendonly: 'yes' })
  const file = join(dir, 'runs.txt')
  writeFileSync(file, '')
  const ids = newIds(rounds * newEvents)
  const runsOf = (id: string) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line === id).length
  const runsWhenAcknowledged = new Map<string, number>()
  const isOpen = (id: string) => !runsWhenAcknowledged.has(id)

  async function startReceiver(fatal = 'never') {
    const child = fork(program.path, [String(server.port), secret, file, fatal])
    child.on('message', ({ id, status }: { id?: string; status?: number }) => {
      if (id && status === 200 && isOpen(id)) {
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
  /** Redelivers until the condition holds, as a sender does. */
  async function sendUntil(isMet: () => boolean, child: ChildProcess, some: () => readonly string[]) {
    for (const startedAt = Date.now(); !isMet(); await sleep(300)) {
      expect(Date.now() - startedAt, `${runsWhenAcknowledged.size} acknowledged`).toBeLessThan(60_000)
      await send(child, some())
    }
  }

  try {
    for (let round = 0; round < rounds; round++) {
      const step = randomStep(round)
      const child = await startReceiver(step)
      // Its last message may arrive after its exit.
      const gone = Promise.all([once(child, 'exit'), once(child, 'disconnect')])
      // New events, and some of earlier rounds: acknowledged ones, and ones whose holder was killed.
      const first = round * newEvents
      const batch = [...ids.slice(first, first + newEvents), ...ids.slice(0, first).slice(-15)]
      await sendUntil(
        () => child.signalCode !== null,
        child,
        () => [...batch, ...batch],
      )
      await gone
      const atWork = batch.filter((id) => isOpen(id) && runsOf(id) > 0)
      expect(step.startsWith('after') || atWork.length > 0, `the kill ${step} met work`).toBe(true)
    }

    const child = await startReceiver()
    await sendUntil(
      () => !ids.some(isOpen),
      child,
      () => ids.filter(isOpen),
    )
    let answers = 0
    child.on('message', () => answers++)
    await send(child, ids)
    await expect.poll(() => answers, { timeout: 60_000 }).toBeGreaterThanOrEqual(ids.length)
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
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
    const ids: string[] = []
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
    // A fast machine needs more events to meet the kills.
    while (ids.length < 300 || kills < 3) {
      const batch = newIds(10)
      await Promise.all([...batch, ...ids.slice(-10), ...batch].map(ledger.deliver))
      ids.push(...batch)
    }
    isOver = true
    await strikes
    await ledger.deliverUntilAcknowledged(ids, 100)
    await ledger.audit()
  } finally {
    await server.close()
  }
}, 180_000)
