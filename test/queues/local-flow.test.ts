import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { WebhookEvent } from '../../src/event/event.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { version } from '../../src/version.js'
import { deferred } from '../store/scripted-leases.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) {
    await close()
  }
})
afterAll(removeFiles)

const audit = { reason: 'the ledger is down', actor: 'suite' }
const patiently = { timeout: 15_000, interval: 10 }
type Options = Partial<Parameters<typeof createReceiver>[0]>

/** A receiver on a file. Its queue searches only when something wakes it. */
function open(path: string, options: Options = {}, { concurrency = 10, pollSeconds = 3600 } = {}) {
  const store = sqliteStore(path)
  const ran: string[] = []
  const retry = { attempts: 100, firstPauseSeconds: 0.02, longestPauseSeconds: 0.02 }
  const receiver = createReceiver({
    secret: testSecret,
    store,
    queue: localQueue({ concurrency, pollSeconds, retry, onError: () => {} }),
    logger: false,
    fallback: ({ type }: WebhookEvent) => void ran.push(type),
    ...options,
  } as never)
  closing.push(() => receiver.stop())
  const sender = testSender({ receiver })
  const send = async (type: string) => (await sender.send(type as 'transfer.settled')).eventId as string
  const becomes = (id: string, state: string) =>
    expect.poll(async () => (await receiver.inspect(id))?.state, patiently).toBe(state)
  const reason = async (id: string) => (await receiver.explain(id)).reason
  return { receiver, store, ran, send, becomes, reason }
}

async function start(...given: Parameters<typeof open>) {
  const program = open(...given)
  await program.receiver.start()
  return program
}

test.each([
  ['a type', { type: 'transfer.settled' }, ['transfer.failed']],
  ['the endpoint', {}, []],
])('a pause of %s holds events back until it ends', async (_, target, others) => {
  const { receiver, ran, send, becomes, reason } = await start(newFile())
  await receiver.pause(target, audit)
  const held = await send('transfer.settled')
  for (const type of others) {
    await becomes(await send(type), 'done')
  }
  await expect.poll(() => reason(held), patiently).toBe('paused')
  expect(ran).toEqual(others)
  // The resume itself starts the held event: the queue does not search for an hour.
  await receiver.resume(target, audit)
  await becomes(held, 'done')
})

test('a pause of a resource holds no other resource back', async () => {
  const { receiver, send, becomes, reason } = await start(newFile(), {
    resource: ({ type }: WebhookEvent) => type,
  })
  await receiver.pause({ resource: 'transfer.settled' }, audit)
  const held = await send('transfer.settled')
  await becomes(await send('transfer.failed'), 'done')
  expect(await reason(held)).toBe('paused')
  await receiver.resume({ resource: 'transfer.settled' }, audit)
  await becomes(held, 'done')
})

test('a process obeys the pause of another process after a second', async () => {
  const path = newFile()
  const here = await start(path)
  const there = open(path)
  await here.becomes(await here.send('transfer.settled'), 'done')
  await there.receiver.pause({}, audit)
  await new Promise((resolve) => setTimeout(resolve, 1050))
  await here.send('transfer.settled')
  await here.send('transfer.settled')
  // Long enough for a run to begin.
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(here.ran).toHaveLength(1)
})

test('a circuit opens after failures with one cause, tries by itself, and closes after a success', async () => {
  let isBroken = true
  let tries = 0
  const { receiver, send, becomes, reason } = await start(newFile(), {
    breaker: { failures: 3, retryAfterSeconds: 1 },
    fallback: ({ type }: WebhookEvent) => {
      if (type === 'transfer.settled') {
        tries++
        if (isBroken) {
          throw new Error('the ledger is down')
        }
      }
    },
  })
  const failing = await send('transfer.settled')
  await expect.poll(() => tries, patiently).toBe(3)
  await expect.poll(() => reason(failing), patiently).toBe('circuit_open')
  const waiting = await send('transfer.settled')
  await becomes(await send('transfer.failed'), 'done')
  expect(tries).toBe(3)
  // Nothing else wakes the queue: the trial comes by itself.
  await expect.poll(() => tries, patiently).toBeGreaterThan(3)
  isBroken = false
  await becomes(failing, 'done')
  await becomes(waiting, 'done')
  await becomes(await send('transfer.settled'), 'done')
  expect(await receiver.explain(waiting)).toMatchObject({ reason: 'done' })
})

test('a success ends the count of failures', async () => {
  let isBroken = true
  const { store, send, becomes } = await start(newFile(), {
    breaker: { failures: 3, retryAfterSeconds: 3600 },
    fallback: () => {
      isBroken = !isBroken
      if (!isBroken) {
        throw new Error('every other time')
      }
    },
  })
  for (let i = 0; i < 4; i++) {
    await becomes(await send('transfer.settled'), 'done')
  }
  // The count ends after the event is done.
  const circuits = async () => (await store.inbox.flow?.holds('default'))?.circuits
  await expect.poll(circuits, patiently).toEqual([])
})

test('without a breaker no failure is counted', async () => {
  let tries = 0
  const { store, send, becomes } = await start(newFile(), {
    fallback: () => {
      if (++tries < 3) {
        throw new Error('at first')
      }
    },
  })
  const id = await send('transfer.settled')
  await becomes(id, 'done')
  expect((await store.inbox.flow?.holds('default'))?.circuits).toEqual([])
})

test.each([
  ['type', { byType: { 'transfer.settled': { concurrency: 1 } } }],
  ['resource', { perResource: { concurrency: 1 } }],
])('a limit of a %s holds, costs no attempt, and loses nothing', async (name, limits) => {
  const end = deferred<void>()
  let running = 0
  let most = 0
  const { receiver, send, becomes, reason } = await start(newFile(), {
    limits,
    ...(name === 'resource' && { resource: ({ type }: WebhookEvent) => type }),
    fallback: async ({ type }: WebhookEvent) => {
      if (type !== 'transfer.settled') {
        return
      }
      most = Math.max(most, ++running)
      await end.promise
      running--
    },
  })
  const first = await send('transfer.settled')
  await expect.poll(() => running, patiently).toBe(1)
  const second = await send('transfer.settled')
  await becomes(await send('transfer.failed'), 'done')
  expect(await reason(second)).toBe('rate_limited')
  end.resolve()
  await becomes(first, 'done')
  await becomes(second, 'done')
  expect(most).toBe(1)
  expect(await receiver.inspect(second)).toMatchObject({ failures: 0 })
})

test('an event that waits for a rate runs when the rate allows it, although nothing else wakes the search', async () => {
  const { send, becomes } = await start(newFile(), {
    limits: { byType: { 'transfer.settled': { perSecond: 2 } } },
  })
  for (let i = 0; i < 3; i++) {
    await send('transfer.settled')
  }
  await becomes(await send('transfer.settled'), 'done')
})

test('types run in the order of their priorities', async () => {
  const path = newFile()
  const priorities = { 'transfer.failed': 10, 'approval.updated': 0, 'ledger.matched': -10 }
  const before = open(path, { priorities })
  await before.receiver.start({ consume: false })
  for (const type of ['ledger.matched', 'transfer.settled', 'approval.updated', 'transfer.failed']) {
    await before.send(type)
  }
  await before.receiver.stop()
  const { ran } = await start(path, { priorities }, { concurrency: 1 })
  await expect.poll(() => ran.length, patiently).toBe(4)
  expect(ran).toEqual(['transfer.failed', 'transfer.settled', 'approval.updated', 'ledger.matched'])
})

test('an urgent event runs before events that a search found a while ago', async () => {
  const path = newFile()
  const priorities = { 'transfer.failed': 10 }
  const before = open(path, { priorities })
  await before.receiver.start({ consume: false })
  await before.send('ledger.matched')
  await before.send('transfer.settled')
  await before.receiver.stop()
  const ran: string[] = []
  const handler = deferred()
  const fallback = ({ type }: WebhookEvent) => (ran.push(type) === 1 ? handler.promise : undefined)
  const { send } = await start(path, { priorities, fallback: fallback as never }, { concurrency: 1 })
  await expect.poll(() => ran.length, patiently).toBe(1)
  await send('transfer.failed')
  await sleep(1200)
  handler.resolve()
  await expect.poll(() => ran.length, patiently).toBe(3)
  expect(ran).toEqual(['ledger.matched', 'transfer.failed', 'transfer.settled'])
})

test('a process that runs events is listed until it stops', async () => {
  const path = newFile()
  const { store } = open(path)
  const workers = () => store.inbox.flow?.workers('default', 60)
  const { receiver } = await start(path, { limits: { byType: { a: { concurrency: 1 } } } })
  await expect
    .poll(workers, patiently)
    .toMatchObject([
      { process: `${hostname()}:${process.pid}`, version, limited: { types: [], resources: [] } },
    ])
  await receiver.stop()
  expect(await workers()).toEqual([])
  const named = await start(path, { version: 'v2.3 (4f1c)' })
  await expect.poll(workers, patiently).toMatchObject([{ version: 'v2.3 (4f1c)' }])
  const started = await named.receiver.versions()
  expect(started.map((each) => each.version)).toEqual([version, 'v2.3 (4f1c)'])
})
