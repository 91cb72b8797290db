import { afterEach, describe, expect, test, vi } from 'vitest'
import { JobRunner } from '../../src/queue/job-runner.js'
import { type JobList, toJob } from '../../src/queue/listed-job.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import type { Inbox, StoredEvent } from '../../src/store/inbox.js'
import { testSecret } from '../../src/testing/delivery.js'
import { pause } from '../../src/testing/laws.js'
import { testSender } from '../../src/testing/sender.js'
import { defaultRetry } from '../../src/timing/backoff.js'
import { Shutdown } from '../../src/timing/shutdown.js'
import { newEvent, postgresRig } from '../stores/postgres-rig.js'
import { nothing } from '../stores/sqlite-rig.js'

const rig = postgresRig()

afterEach(() => void vi.useRealTimers())

const list: JobList = { addNextAttempt: nothing, add: nothing }

/** One accepted event on Postgres, in a process whose clock differs by this many hours. */
async function withClock(hours: number) {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })
  const store = rig.store()
  const inbox = store.inbox as unknown as Inbox<unknown>
  const event = newEvent({ leaseSeconds: 1 })
  await inbox.accept(event, nothing)
  return { store, inbox, event, read: async () => (await inbox.read(event.key)) as StoredEvent }
}

describe.each([-1, 1])('a process whose clock differs from that of the database by %d h', (hours) => {
  test('runs a job when its event may run, and not before', async () => {
    const { store, inbox, event, read } = await withClock(hours)
    let runs = 0
    const runner = new JobRunner({
      worker: {
        endpoint: event.endpoint,
        async run(_job, _found, admit) {
          await admit?.(await read())
          runs++
        },
        markDead: nothing,
      },
      inbox,
      retry: defaultRetry,
      concurrency: 1,
      shutdown: new Shutdown(),
      onError: () => {},
    })
    const job = toJob(await read())
    // Its worker died before it could note the pause.
    const failed = store.once({ ...event, isKept: true }, () => Promise.reject(new Error('refused')))
    await expect(failed).rejects.toThrow('refused')
    expect(await runner.take(job, list)).toMatchObject({ state: 'untried', isElsewhere: true })
    await pause(1.1)
    // The failure counts now, and the usual pause follows.
    expect(await runner.take(job, list)).toMatchObject({ state: 'failed' })
    const next = toJob(await read())
    expect(await runner.take(next, list)).toMatchObject({ state: 'held' })
    await pause(1.1)
    expect(await runner.take(next, list)).toEqual({ state: 'over' })
    expect(runs).toBe(1)
  })

  test('explains what an event waits for', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })
    const store = rig.store()
    const inbox = store.inbox as unknown as Inbox<unknown>
    const endpoint = `${hours} h`
    const options = { secret: testSecret, endpoint, store, logger: false as const, fallback() {} }
    const receiver = createReceiver({ ...options, queue: localQueue() })
    await receiver.start({ consume: false })
    const { eventId = '' } = await testSender({ receiver }).send('transfer.settled')
    const { key } = (await receiver.inspect(eventId)) as StoredEvent
    const limited = { types: [], resources: [] }
    await inbox.flow?.beat({ endpoint, id: 'w', process: 'host:1', version: '1.0.0', limited })
    await inbox.postpone(key, 600, 'refused')
    expect((await receiver.explain(eventId)).sentence).toContain('is retried at')
    await inbox.postpone(key, 0, 'refused')
    expect((await receiver.explain(eventId)).sentence).toMatch(/can run now\..*One process runs/)
    await receiver.stop()
  })
})
