import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { randomNumbers } from '../event/random.js'
import { bundle, type Program } from '../setup/bundle.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { ask, open } from './sqlite-rig.js'

let program: Program
beforeAll(async () => {
  program = await bundle(join(import.meta.dirname, 'sqlite-process.ts'))
})
afterAll(() => {
  program.remove()
  removeFiles()
})

/** A receiver in its own process, and the events that it acknowledged. */
async function startReceiver(path: string, mode: 'inline' | 'queued', fatal = 'never') {
  const child = fork(program.path, [path, mode, fatal])
  const acknowledged = new Set<string>()
  let answers = 0
  child.on('message', (message: { id: string; status: number }) => {
    if (message.status === undefined) {
      return
    }
    answers++
    if (message.status === 200) {
      acknowledged.add(message.id)
    }
  })
  // A process that dies during its start sends nothing more.
  await Promise.race([once(child, 'message'), once(child, 'exit')])
  return {
    child,
    acknowledged,
    answers: () => answers,
    deliver: (id: string) => child.connected && child.send(id, () => {}),
    isAlive: () => child.exitCode === null && child.signalCode === null,
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return
  }
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Redelivers until every event is acknowledged, as a sender does. */
async function deliverAll(receiver: Awaited<ReturnType<typeof startReceiver>>, ids: readonly string[]) {
  const until = Date.now() + 120_000
  while (ids.some((id) => !receiver.acknowledged.has(id))) {
    expect(Date.now(), 'not acknowledged in time').toBeLessThan(until)
    for (const id of ids) {
      if (!receiver.acknowledged.has(id)) {
        receiver.deliver(id)
      }
    }
    await sleep(300)
  }
}

function effectsOf(path: string, ids: readonly string[]): number[] {
  const database = open(path)
  const counts = ids.map((id) => Number(ask(database, `SELECT count(*) FROM effects WHERE event = '${id}'`)))
  database.close()
  return counts
}

/** Why the event does not move, as another process sees it. */
async function explain(path: string, id: string) {
  const store = sqliteStore(path)
  const receiver = createReceiver({ secret: testSecret, store, queue: localQueue(), fallback() {} })
  const why = await receiver.explain(id)
  await store.close()
  return why
}

/** The failed attempts of the only event of a file. */
async function attemptsOf(path: string) {
  const { inbox, close } = sqliteStore(path)
  const [event] = await inbox.list({ allEndpoints: true })
  const { attempts } = (await inbox.read(event?.key ?? '')) ?? {}
  await close()
  return attempts
}

const newIds = (count: number) => Array.from({ length: count }, () => `evt_${crypto.randomUUID()}`)

const steps = [
  'before transaction 1',
  'before commit 1',
  'after commit 1',
  'in the handler',
  'at the end of the handler',
  'before transaction 2',
  'after its write',
  'before commit 2',
  'after commit 2',
  'before the answer',
]

describe.each(['inline', 'queued'] as const)('a receiver killed (%s)', (mode) => {
  test.each(steps)(
    '%s has lost no event and processed none twice',
    async (step) => {
      const path = newFile()
      const [id] = newIds(1) as [string]
      const victim = await startReceiver(path, mode, step)
      const gone = once(victim.child, 'exit')
      victim.deliver(id)
      await gone
      const wasAcknowledged = victim.acknowledged.has(id)

      if (step === 'in the handler' && mode === 'queued') {
        await expect
          .poll(() => explain(path, id), { timeout: 60_000, interval: 100 })
          .toMatchObject({
            lostAttempts: 1,
            lostSentence: expect.stringContaining('Its last attempt left nothing'),
          })
      }
      const next = await startReceiver(path, mode)
      if (!wasAcknowledged) {
        await deliverAll(next, [id])
      }
      await expect.poll(() => effectsOf(path, [id]), { timeout: 60_000, interval: 100 }).toEqual([1])
      await sleep(300)
      expect(effectsOf(path, [id])).toEqual([1])
      await kill(next.child)
      if (step === 'in the handler') {
        expect(await attemptsOf(path), 'the attempt left nothing').toEqual([
          { generation: 0, attempt: 1, lost: 1 },
        ])
      }
      const database = open(path)
      expect(ask(database, 'PRAGMA integrity_check')).toBe('ok')
      database.close()
    },
    180_000,
  )
})

test('receivers that are killed at random, two on one file, lose no event and process none twice', async () => {
  const path = newFile()
  const random = randomNumbers(11)
  const ids = newIds(400)
  const acknowledged = new Set<string>()
  for (let round = 0; round < 8; round++) {
    const receivers = await Promise.all([startReceiver(path, 'queued'), startReceiver(path, 'queued')])
    const some = ids.slice(round * 50, round * 50 + 50)
    for (const id of some) {
      for (const { deliver } of receivers) {
        deliver(id)
      }
    }
    // Kill them after a number of responses, not after a time, so that a busy machine does not kill them too early.
    const target = Math.floor(random() * 20)
    await expect
      .poll(() => receivers.some((each) => each.answers() >= target), { timeout: 60_000, interval: 1 })
      .toBe(true)
    for (const { child } of receivers) {
      await kill(child)
    }
    for (const each of receivers) {
      for (const id of each.acknowledged) {
        acknowledged.add(id)
      }
    }
  }
  expect(acknowledged.size).toBeGreaterThan(10)

  // A sender does not redeliver acknowledged events.
  const last = await startReceiver(path, 'queued')
  await deliverAll(
    last,
    ids.filter((id) => !acknowledged.has(id)),
  )
  await expect
    .poll(() => effectsOf(path, ids).filter((count) => count !== 1), { timeout: 60_000, interval: 200 })
    .toEqual([])
  await kill(last.child)
}, 240_000)

test('two receivers on one file never run an event twice under load', async () => {
  const path = newFile()
  const receivers = await Promise.all([startReceiver(path, 'inline'), startReceiver(path, 'inline')])
  const ids = newIds(500)
  for (const id of ids) {
    for (const { deliver } of receivers) {
      deliver(id)
    }
  }
  await expect
    .poll(() => receivers.map(({ answers }) => answers()), { timeout: 120_000 })
    .toEqual([ids.length, ids.length])
  await Promise.all(receivers.map((receiver) => deliverAll(receiver, ids)))
  expect(effectsOf(path, ids).filter((count) => count !== 1)).toEqual([])
  for (const { child } of receivers) {
    await kill(child)
  }
}, 240_000)
