import assert from 'node:assert/strict'
import type { Job } from '../../queue/queue.js'
import type { StoredEvent } from '../../store/inbox.js'
import { eventually, freshKey, type Laws, pause } from '../laws.js'
import { type Bench, refOf } from './bench.js'

const audit = { reason: 'law', actor: 'suite' }

/** Laws of retries and dead events. */
export const retryLaws = <Tx>(): Laws<Bench<Tx>> => ({
  async 'a failed job is retried after growing delays, and dead after its last attempt'({ make }) {
    const times: number[] = []
    const bench = await make()
    const retry = { ...bench.settings.retry, attempts: 4 }
    const program = await bench.program(
      () => {
        times.push(performance.now() / 1000)
        throw new Error('no such account')
      },
      { retry },
    )
    await program.receiver.start()
    const id = await program.accept()
    const dead = await program.until(id, 'dead')
    assert.equal(times.length, 4)
    assert.match(dead.lastError ?? '', /\S/)
    const pauses = times.slice(1).map((time, i) => time - (times[i] as number))
    // Half of each delay is random, so a delay is at least half of the first one doubled as often.
    for (const [i, seconds] of pauses.entries()) {
      assert.ok(seconds > 0.4 * 2 ** i, `pauses ${pauses}`)
    }
    await pause(3)
    assert.equal(times.length, 4, 'a dead event was run')
  },

  async 'a job that fails and then succeeds is done'({ make }) {
    let runs = 0
    const program = await (await make()).program(() => {
      if (++runs < 3) {
        throw new Error('not yet')
      }
    })
    await program.receiver.start()
    const id = await program.accept()
    const failed = await program.until(id, 'failed')
    assert.match(failed.lastError ?? '', /not yet/)
    await program.until(id, 'done')
    await pause(1)
    assert.equal(runs, 3)
  },

  // A crash can leave two jobs for one event.
  async 'a second job for an event does not shorten its pause after a failure'({ make }) {
    const times: number[] = []
    const bench = await make()
    const { receiver, inbox, queue, ...program } = await bench.program(
      () => {
        times.push(performance.now() / 1000)
        throw new Error('not yet')
      },
      { concurrency: 1, retry: { ...bench.settings.retry, attempts: 2 } },
    )
    const id = await program.accept()
    const { key, type, endpoint } = (await receiver.inspect(id)) as StoredEvent
    const job: Job = { key, type, endpoint, generation: 0 }
    await inbox.accept(refOf(freshKey(), endpoint), async (tx) => queue.enqueue?.(job, tx))
    queue.committed?.(job)
    await receiver.start()
    await program.until(id, 'dead')
    const [first = 0, second = 0] = times
    assert.ok(second - first > 0.4, `the second attempt began ${second - first} s after the first`)
  },

  async 'a replayed dead event runs again'({ make }) {
    const bench = await make()
    let isMended = false
    const program = await bench.program(
      () => {
        if (!isMended) {
          throw new Error('broken')
        }
      },
      { retry: { ...bench.settings.retry, attempts: 2 } },
    )
    await program.receiver.start()
    const id = await program.accept()
    await program.until(id, 'dead')
    isMended = true
    await program.receiver.replay(id, audit)
    assert.equal((await program.until(id, 'done')).generation, 1)
  },

  async 'a failing job does not delay other jobs'({ make }) {
    let isBroken = true
    // Enough that it is not dead before the other jobs are done, however slow the machine is.
    const retry = { attempts: 10, firstPauseSeconds: 1, longestPauseSeconds: 4 }
    const program = await (await make()).program(
      ({ id }) => {
        if (isBroken && id === broken) {
          throw new Error('broken')
        }
      },
      { concurrency: 1, retry },
    )
    const broken = await program.accept()
    await program.receiver.start()
    await program.until(broken, 'failed')
    for (let i = 0; i < 3; i++) {
      await program.until(await program.accept(), 'done')
    }
    isBroken = false
    await program.until(broken, 'done')
  },

  async 'stop waits for handlers that fail'({ make }) {
    let running = 0
    const program = await (await make()).program(async () => {
      running++
      await pause(0.5)
      running--
      throw new Error('late')
    })
    await program.receiver.start()
    await program.accept()
    await eventually(async () => (running > 0 ? true : undefined))
    await program.receiver.stop()
    assert.equal(running, 0)
  },
})
