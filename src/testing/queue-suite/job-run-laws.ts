import assert from 'node:assert/strict'
import { eventually, freshKey, type Laws, oddKeys, pause } from '../laws.js'
import { type Bench, jobOf, refOf } from './bench.js'

/** Laws of running jobs: which, how often, and how many concurrently. */
export const runLaws = <Tx>(): Laws<Bench<Tx>> => ({
  async 'a committed job runs, and its event is done'({ make }) {
    const seen: string[] = []
    const program = await (await make()).program(({ id }) => seen.push(id))
    await program.receiver.start()
    const ids = [await program.accept(), await program.accept(), await program.accept()]
    for (const id of ids) {
      await program.until(id, 'done')
    }
    assert.deepEqual(seen.sort(), ids.sort())
  },

  async 'a job committed before a consumer starts runs when it starts'({ make }) {
    const bench = await make()
    const front = await bench.program(() => assert.fail('a program that does not consume ran a job'))
    await front.receiver.start({ consume: false })
    const ids = await Promise.all(Array.from({ length: 30 }, () => front.accept()))
    const back = await bench.program(() => {})
    await back.receiver.start()
    for (const id of ids) {
      await back.until(id, 'done')
    }
  },

  async 'a job whose transaction rolled back does not run'({ make }) {
    const seen: string[] = []
    const bench = await make()
    const program = await bench.program(({ id }) => seen.push(id))
    const { receiver, queue, inbox } = program
    await receiver.start()
    const event = refOf(freshKey(), bench.settings.space)
    const error = new Error('rolled back')
    await assert.rejects(
      inbox.accept(event, async (tx) => {
        await queue.enqueue?.(jobOf(event), tx)
        throw error
      }),
      error,
    )
    await program.until(await program.accept(), 'done')
    await pause(1)
    assert.equal(seen.length, 1)
    assert.equal(await inbox.read(event.key), undefined)
  },

  async 'a job that arrives twice has one effect'({ make }) {
    let runs = 0
    const bench = await make()
    const program = await bench.program(() => {
      runs++
    })
    const { receiver, queue, inbox } = program
    await receiver.start()
    const { key, type, endpoint } = await program.until(await program.accept(), 'done')
    const jobs = [0, 1].map((generation) => ({ key, type, endpoint, generation }))
    const other = refOf(freshKey(), bench.settings.space)
    await inbox.accept(other, async (tx) => {
      for (const job of jobs) {
        await queue.enqueue?.(job, tx)
      }
    })
    for (const job of jobs) {
      queue.committed?.(job)
    }
    await program.until(await program.accept(), 'done')
    await pause(1)
    assert.equal(runs, 2)
  },

  async 'a replay runs a done event again, once'({ make }) {
    let runs = 0
    const program = await (await make()).program(() => {
      runs++
    })
    await program.receiver.start()
    const id = await program.accept()
    await program.until(id, 'done')
    const generation = await program.receiver.replay(id, { reason: 'law', actor: 'suite' })
    assert.equal(generation, 1)
    await eventually(async () => (runs === 2 ? true : undefined))
    assert.equal((await program.until(id, 'done')).generation, 1)
    await pause(1)
    assert.equal(runs, 2)
  },

  async 'exactly `concurrency` jobs run concurrently when enough are waiting'({ make }) {
    let running = 0
    let most = 0
    let runs = 0
    const program = await (await make()).program(
      async () => {
        most = Math.max(most, ++running)
        // They end at different times, so that slots become free one by one.
        await pause(0.5 + 0.4 * (runs++ % 3))
        running--
      },
      { concurrency: 3 },
    )
    const ids = await Promise.all(Array.from({ length: 9 }, () => program.accept()))
    await program.receiver.start()
    for (const id of ids) {
      await program.until(id, 'done')
    }
    assert.equal(most, 3)
  },

  async 'keys may contain any characters'({ make }) {
    const bench = await make()
    const { queue, inbox, store } = await bench.program(() => {})
    await store.check()
    const { space } = bench.settings
    const seen = new Set<string>()
    const worker = {
      endpoint: space,
      async run({ key, generation }: { key: string; generation: number }) {
        const stored = await inbox.read(key)
        assert.ok(stored, `no event under ${JSON.stringify(key)}`)
        await store.once(refOf(key, space), async () => {})
        seen.add(`${generation} ${key}`)
      },
      markDead: async () => {},
    }
    const stop = await queue.consume(worker, inbox)
    const keys = oddKeys()
    for (const key of keys) {
      const event = refOf(key, space)
      await inbox.accept(event, async (tx) => queue.enqueue?.(jobOf(event), tx))
      queue.committed?.(jobOf(event))
    }
    await eventually(async () => (seen.size >= keys.length ? true : undefined), 60)
    await stop()
    assert.deepEqual([...seen].sort(), keys.map((key) => `0 ${key}`).sort())
  },

  async 'stop takes no new job and waits for running ones, and start continues'({ make }) {
    const ended: string[] = []
    let begun = 0
    const program = await (await make()).program(
      async ({ id }) => {
        begun++
        await pause(1)
        ended.push(id)
      },
      { concurrency: 1 },
    )
    await program.receiver.start()
    const ids = [await program.accept(), await program.accept(), await program.accept()]
    await eventually(async () => (begun > 0 ? true : undefined))
    await program.receiver.stop()
    assert.equal(ended.length, begun)
    const before = begun
    assert.ok(before < ids.length, 'it went on to take jobs')
    await pause(1.5)
    assert.equal(begun, before, 'it took a job after it had stopped')
    await program.receiver.start()
    for (const id of ids) {
      await program.until(id, 'done')
    }
    assert.deepEqual(ended.sort(), ids.sort())
  },
})
