import type pg from 'pg'
import { expect, it } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import type { PgPool } from '../../src/stores/postgres/connection/pg-client.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { testSecret } from '../../src/testing/index.js'
import { postgresRig } from './postgres-rig.js'

const rig = postgresRig()

/** What `start()` logs for a pool of this size with four concurrent handlers. */
async function warningsOf(pool: PgPool, { consume = true, hasQueue = true } = {}): Promise<string[]> {
  const warnings: string[] = []
  const receiver = createReceiver({
    secret: testSecret,
    store: postgresStore({ pool }),
    ...(hasQueue && { queue: localQueue({ concurrency: 4 }) }),
    logger: { ...console, info() {}, warn: (text) => warnings.push(text) },
    handlers: { 'transfer.settled': () => {} },
  })
  await receiver.start({ consume, announce: false })
  await receiver.stop()
  return warnings
}

/** A wrapped pool, as a tracing library returns it. */
const wrapped = (pool: pg.Pool, options?: object): PgPool => ({
  connect: () => pool.connect(),
  on: pool.on.bind(pool) as PgPool['on'],
  off: pool.off.bind(pool) as PgPool['off'],
  ...options,
})

it('start() warns of a pool with fewer clients than the handlers need, and three more', async () => {
  expect(await warningsOf(rig.pool({ max: 6 }))).toEqual([
    'webhook-inbox: the pool of the store has 6 clients, but concurrency 4 needs 7: one for each handler, and three more; ' +
      'otherwise deliveries wait until a handler ends; fix: a larger max of the pool, or a lower concurrency of the queue',
  ])
})

it.each([
  ['is large enough', () => warningsOf(rig.pool({ max: 7 }))],
  [
    'is small, in a process that runs no handlers',
    () => warningsOf(rig.pool({ max: 6 }), { consume: false }),
  ],
  ['is small, without a queue', () => warningsOf(rig.pool({ max: 6 }), { hasQueue: false })],
  ['does not tell its size', () => warningsOf(wrapped(rig.pool({ max: 6 })))],
  ['tells no number', () => warningsOf(wrapped(rig.pool({ max: 6 }), { options: { max: '6' } }))],
  [
    'throws when asked',
    () =>
      warningsOf(
        wrapped(rig.pool({ max: 6 }), {
          options: {
            get max() {
              throw new Error('no')
            },
          },
        }),
      ),
  ],
])('start() does not warn of a pool that %s', async (_, warnings) => {
  expect(await warnings()).toEqual([])
})
