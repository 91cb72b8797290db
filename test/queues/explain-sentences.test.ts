import { afterAll, expect, test, vi } from 'vitest'
import { HandlerFailure } from '../../src/errors.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import type { FlowStore } from '../../src/store/flow-store.js'
import type { StoredEvent } from '../../src/store/inbox.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

afterAll(removeFiles)

const audit = { reason: 'the ledger is down', actor: 'suite' }

test('each reason has a sentence that a person can act on', async () => {
  const store = sqliteStore(newFile())
  const { inbox } = store
  const flow = inbox.flow as FlowStore
  const receiver = createReceiver({
    secret: testSecret,
    store,
    queue: localQueue(),
    resource: () => 'r',
    logger: false,
    fallback: () => {},
  })
  await receiver.start({ consume: false })
  const sender = testSender({ receiver })
  const send = async () => (await sender.send('transfer.settled')).eventId as string
  const [a, b] = [await send(), await send()]
  const key = (await receiver.inspect(a))?.key as string
  /** The sentence, with short names for what differs from run to run. */
  const says = async (id: string) =>
    (await receiver.explain(id)).sentence
      .replaceAll(a, 'A')
      .replaceAll(b, 'B')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T')

  expect(await says('evt_missing')).toBe('No event evt_missing is kept for the endpoint default.')
  expect(await says(a)).toBe(
    'Event A waits because no process runs the events of default; call receiver.start() in a process that keeps running.',
  )
  const nothing = { types: [] as string[], resources: [] as string[] }
  const beat = { endpoint: 'default', id: 'w', process: 'host:1', version: '1.0.0', limited: nothing }
  await flow.beat(beat)
  const place = 'Event A can run now. A process that has a free place finds it within its pollSeconds.'
  expect(await says(a)).toBe(`${place} One process runs the events of default.`)
  await flow.beat({ ...beat, id: 'v' })
  expect(await says(a)).toBe(`${place} 2 processes run the events of default.`)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 46_000 })
  expect((await receiver.explain(a)).reason).toBe('due')
  expect(await says(a)).toBe(
    'Event A can run now. No process that runs the events of default has reported for 45 s, so perhaps none runs any more.',
  )
  vi.useRealTimers()
  expect(await says(b)).toBe(
    'Event B waits for event A, which is earlier for the resource r and is accepted.',
  )

  await inbox.postpone(key, 3600, 'Error: refused')
  expect(await says(a)).toBe('Event A failed once and is retried at T: Error: refused.')
  await inbox.postpone(key, 3600, '')
  expect(await says(a)).toBe('Event A failed 2 times and is retried at T.')

  await flow.beat({ ...beat, limited: { ...nothing, resources: ['r'] } })
  expect(await says(a)).toBe('Event A waits because the resource r is at its limit.')
  await flow.beat({ ...beat, limited: { types: ['transfer.settled'], resources: ['r'] } })
  expect(await says(a)).toBe('Event A waits because transfer.settled is at its limit.')

  await flow.beat({ ...beat, limited: { types: ['transfer.settled'], resources: [], running: 3 } })
  await flow.beat({ ...beat, id: 'v', limited: { ...nothing, running: 1 } })
  const atLimit = 'Event A waits because transfer.settled is at its limit.'
  expect(await says(a)).toBe(`${atLimit} 4 handlers run, by reports that come every 20 s.`)
  await flow.beat({ ...beat, id: 'v' })
  await flow.beat({ ...beat, limited: { types: ['transfer.settled'], resources: [], running: 1 } })
  expect(await says(a)).toBe(`${atLimit} 1 handler runs, by reports that come every 20 s.`)

  const failed = 'Event A waits because transfer.settled failed too often in a row'
  await flow.countFailure('default', 'transfer.settled', 'x', { failures: 1, retryAfterSeconds: 0 })
  await expect.poll(() => flow.startTrial('default', 'transfer.settled', 60)).toBe(true)
  expect(await says(a)).toBe(`${failed}; a trial is running now.`)
  await flow.closeCircuit('default', 'transfer.settled')
  await flow.countFailure('default', 'transfer.settled', 'x', { failures: 1, retryAfterSeconds: 60 })
  expect(await says(a)).toBe(`${failed}; one event runs as a trial at T.`)

  for (const [target, what] of [
    [{}, 'endpoint default'],
    [{ type: 'transfer.settled' }, 'type transfer.settled'],
    [{ resource: 'r' }, 'resource r'],
  ] as const) {
    await receiver.pause(target, audit)
    expect(await says(a)).toBe(`Event A waits because suite paused the ${what} at T: the ledger is down.`)
    await receiver.resume(target, audit)
  }

  await inbox.markDead(key, 'given up')
  expect(await says(a)).toBe('Event A is dead: given up. It runs again only when it is replayed.')
  const durations = { leaseSeconds: 60, retentionSeconds: 3600, workSeconds: 10, waitSeconds: 1 }
  const event = { ...((await receiver.inspect(b)) as StoredEvent), durations, resource: 'r' }
  const whileRunning: string[] = []
  await store.once(event, async () => {
    whileRunning.push(await says(b))
    await flow.leave('default', 'v')
    whileRunning.push(await says(b))
    await flow.leave('default', 'w')
    whileRunning.push(await says(b))
  })
  expect(whileRunning).toEqual([
    'Event B is running now: its handler started at T. If that process ends, the event can run again at T.',
    'Event B is running now: its handler started at T in the process host:1. If that process ends, the event can run again at T.',
    'Event B may not run any more: its handler started at T. No process has reported for 45 s. If that process ends, the event can run again at T.',
  ])
  expect(await says(b)).toBe('Event B is done since T.')

  const bodyHash = 'f'.repeat(64)
  const bad = { endpoint: 'default', eventId: 'evt_bad', bodyHash, body: new Uint8Array([1]) }
  await inbox.quarantine({ ...bad, code: 'invalid_json' })
  const because = 'was not accepted: a delivery of it is in quarantine because of invalid_json.'
  expect(await says('evt_bad')).toBe(`Event evt_bad ${because}`)
  expect(await says(`default/${bodyHash}`)).toBe(`Event default/${bodyHash} ${because}`)
  expect(await says(`other/${bodyHash}`)).toContain('No event')
  await receiver.stop()
  await store.close()
})

test.each([
  ['has failed', true, 'failed once'],
  ['was stopped', false, 'was interrupted'],
])('an event that %s and whose queue has not counted that yet', async (_, isAttempt, did) => {
  const store = sqliteStore(newFile())
  const receiver = createReceiver({
    secret: testSecret,
    store,
    queue: localQueue(),
    logger: false,
    fallback: () => {},
  })
  const { eventId = '' } = await testSender({ receiver }).send('transfer.settled')
  const durations = { leaseSeconds: 60, retentionSeconds: 3600, workSeconds: 10, waitSeconds: 1 }
  const event = { ...((await receiver.inspect(eventId)) as StoredEvent), durations, isKept: true }
  const failure = new HandlerFailure(new Error('no such account'), undefined, 1, isAttempt)
  await store.once(event, () => Promise.reject(failure)).catch(() => {})
  const { retryAt } = (await receiver.inspect(eventId)) as StoredEvent
  expect((await receiver.explain(eventId)).sentence).toBe(
    `Event ${eventId} ${did} and is retried at ${retryAt}: Error: no such account.`,
  )
  await store.close()
})

test('an event that finds no free place is told with how many handlers run', async () => {
  const ends: (() => void)[] = []
  const receiver = createReceiver({
    secret: testSecret,
    store: sqliteStore(newFile()),
    queue: localQueue({ concurrency: 2, pollSeconds: 0.05 }),
    logger: false,
    limits: { byType: { 'transfer.failed': { concurrency: 1 } } },
    fallback: () => new Promise<void>((end) => ends.push(end)),
  })
  await receiver.start()
  const sender = testSender({ receiver })
  const send = async (type: 'transfer.failed' | 'transfer.settled') =>
    (await sender.send(type)).eventId as string
  const explained = async (id: string) => {
    const { sentence, ...details } = await receiver.explain(id)
    return { ...details, end: sentence.split('. ').at(-1) }
  }
  await send('transfer.failed')
  await expect.poll(() => ends.length).toBe(1)
  const limited = await send('transfer.failed')
  expect(await explained(limited)).toEqual({
    reason: 'rate_limited',
    type: 'transfer.failed',
    running: 1,
    end: '1 handler runs now.',
  })
  await send('transfer.settled')
  await expect.poll(() => ends.length).toBe(2)
  const waits = await send('transfer.settled')
  expect(await explained(waits)).toEqual({
    reason: 'due',
    workers: 1,
    running: 2,
    end: '2 handlers run now.',
  })
  const timer = setInterval(() => ends.splice(0).forEach((end) => void end()), 20)
  await expect.poll(async () => (await receiver.explain(waits)).reason).toBe('done')
  clearInterval(timer)
  await receiver.stop()
})
