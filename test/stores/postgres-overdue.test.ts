import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import type pg from 'pg'
import { expect, test, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { testSecret } from '../../src/testing/delivery.js'
import { fixture } from '../../src/testing/fixture.js'
import { gate, newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

test('a handler does not start when the reply to its claim arrives after the lease', async () => {
  const pool = rig.pool({ max: 1 })
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  let isStopped = false
  pool.connect = (async () => {
    const client = await connect()
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((statement: { callback?: (...answer: unknown[]) => void }, ...rest: unknown[]) => {
      const { callback } = statement
      if (callback && !isStopped) {
        isStopped = true
        statement.callback = (...answer) => {
          // As when the process is stopped, neither timers nor sockets are served meanwhile.
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
          callback(...answer)
        }
      }
      return query(statement, ...rest)
    }) as never
    return client
  }) as never
  const handler = vi.fn()
  const event = newEvent({ leaseSeconds: 0.5, workSeconds: 0.1 })
  expect(await postgresStore({ pool }).once(event, handler)).toMatchObject({ state: 'busy' })
  expect(isStopped).toBe(true)
  expect(handler).not.toHaveBeenCalled()
})

test.each([
  { attempts: 20, state: 'has more attempts' },
  { attempts: 1, state: 'has its last attempt' },
])('a handler that succeeds late and $state is logged in three lines', async ({ attempts }) => {
  const release = gate()
  const log: string[] = []
  const write = (line: string) => void log.push(line)
  const told: string[] = []
  const receiver = createReceiver({
    secret: testSecret,
    store: rig.store({ max: 13 }),
    queue: localQueue({
      pollSeconds: 0.1,
      retry: { attempts },
      onError: (error) => log.push(inspect(error)),
    }),
    handlerTimeoutSeconds: 1.5,
    leaseSeconds: 30,
    logger: { info() {}, warn: write, error: write },
    telemetry: {
      running: () => ({ end: ({ result }) => void told.push(result.outcome) }),
      succeededLate: ({ eventId }) => void told.push(`${eventId} succeeded late`),
      retried: () => void told.push('retried'),
      died: () => void told.push('died'),
    },
    fallback: () => release.opened,
  })
  await receiver.start()
  // Another id for a second try of this test: the first one may have left its event.
  const id = `evt_late_${attempts}_${Date.now()}`
  const { body, headers } = await fixture('transfer.settled', { id })
  await receiver.receive({ headers, body })
  await vi.waitFor(() => expect(log).toHaveLength(2), { timeout: 10_000 })
  // Long enough for two more tries to note the failure.
  await sleep(2500)
  release.open()
  await vi.waitFor(() => expect(log).toHaveLength(3), { timeout: 10_000 })
  await sleep(1500)
  await receiver.stop()
  const [timeout, held, late, ...more] = log
  expect(timeout).toMatch(/handler_timeout: .* raise handlerTimeoutSeconds; .*; see/)
  expect(held).toBe(
    `[Error: the handler of event ${id} still runs after handlerTimeoutSeconds and holds the event; its failure is noted when it ends, unless it succeeds]`,
  )
  expect(late).toBe(
    `webhook-inbox: event ${id} is done: it succeeded after the time limit of 1.5 s, and that counts`,
  )
  expect(more).toEqual([])
  expect(told).toEqual(['failed', `${id} succeeded late`])
  expect(await receiver.inspect(id)).toMatchObject({ state: 'done', failures: 0 })
})

test('deliveries are accepted while all handler slots are overdue', async () => {
  const release = gate()
  let running = 0
  const receiver = createReceiver({
    secret: testSecret,
    store: rig.store({ max: 13 }),
    queue: localQueue({ concurrency: 10, pollSeconds: 0.1 }),
    handlerTimeoutSeconds: 1,
    leaseSeconds: 30,
    logger: false,
    async fallback() {
      running++
      await release.opened
    },
  })
  const deliver = async (id: string) => {
    const { body, headers } = await fixture('transfer.settled', { id })
    return (await receiver.receive({ headers, body })).status
  }
  await receiver.start()
  try {
    for (let i = 0; i < 10; i++) {
      expect(await deliver(`evt_overdue_${i}`)).toBe(200)
    }
    while (running < 10) {
      await sleep(20)
    }
    // Their budget ends, and the queue records that they failed.
    await sleep(1200)
    const statuses: number[] = []
    for (let i = 0; i < 40; i++) {
      statuses.push(await deliver(`evt_waiting_${i}`))
      await sleep(50)
    }
    expect(statuses.filter((status) => status !== 200)).toEqual([])
  } finally {
    release.open()
    await receiver.stop()
  }
})
