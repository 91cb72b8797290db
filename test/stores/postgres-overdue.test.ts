import { setTimeout as sleep } from 'node:timers/promises'
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
