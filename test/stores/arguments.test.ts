import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EventRef } from '../../src/store/event-ref.js'
import type { Store } from '../../src/store/store.js'
import { memoryStore } from '../../src/stores/memory.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { redisStore } from '../../src/stores/redis.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { postgresRig } from './postgres-rig.js'
import { drivers, newFile, removeFiles } from './sqlite-files.js'
import { newEvent } from './sqlite-rig.js'

const rig = postgresRig()
let server: RedisServer
let redis: Redis
beforeAll(async () => {
  server = await startRedis({ appendonly: 'yes' })
  redis = new Redis(server.port)
})
afterAll(async () => {
  redis.disconnect()
  await server.close()
  removeFiles()
})

/** Values that a driver spreads, rounds or aborts on. */
const wrong: readonly unknown[] = [
  true,
  ['a', 'b'],
  { a: 1 },
  Number.NaN,
  Symbol('s'),
  () => 'a',
  new Date(),
  null,
]

const audit = { reason: 'a test', actor: 'a test' }
const nothing = async () => {}

type Call = (store: Store<never>, value: never) => Promise<unknown>

const onEvents: Record<string, Call> = Object.fromEntries(
  (['key', 'contentHash', 'endpoint', 'id', 'type', 'createdAt', 'body', 'resource'] as const).map((part) => [
    `once, ${part}`,
    (store, value) => store.once(newEvent({ [part]: value } as Partial<EventRef>), nothing),
  ]),
)

const onEveryStore: Record<string, Call> = {
  ...onEvents,
  'once, leaseSeconds': (store, value) =>
    store.once(newEvent({ durations: { ...newEvent().durations, leaseSeconds: value } }), nothing),
  'prune, limit': (store, value) => store.prune(new Date(), value),
  'prune, date': (store, value) => store.prune((value as unknown) instanceof Date ? (0 as never) : value, 1),
}

const inbox = (store: Store<never>) => store.inbox as NonNullable<typeof store.inbox>

const onInboxes: Record<string, Call> = {
  'accept, resource': (store, value) => inbox(store).accept(newEvent({ resource: value }), nothing),
  'accept without a job, resource': (store, value) => inbox(store).accept(newEvent({ resource: value })),
  'accept, id': (store, value) => inbox(store).accept(newEvent({ id: value }), nothing),
  'acceptDead, resource': (store, value) =>
    inbox(store).acceptDead(newEvent({ resource: value }), 'invalid_data', ''),
  'acceptDead, reason': (store, value) => inbox(store).acceptDead(newEvent(), 'invalid_data', value),
  'read, key': (store, value) => inbox(store).read(value),
  'list, endpoint': (store, value) => inbox(store).list({ endpoint: value }),
  'list, state': (store, value) => inbox(store).list({ endpoint: 'a', state: value }),
  'list, limit': (store, value) => inbox(store).list({ endpoint: 'a', limit: value }),
  'list, after': (store, value) => inbox(store).list({ endpoint: 'a', after: value }),
  'due, limit': (store, value) => inbox(store).due(value),
  'due, endpoint': (store, value) => inbox(store).due(1, value),
  'nextForResource, key': (store, value) => inbox(store).nextForResource(value),
  'postpone, key': (store, value) => inbox(store).postpone(value, 1, 'error'),
  'postpone, seconds': (store, value) => inbox(store).postpone('key', value, 'error'),
  'postpone, error': (store, value) => inbox(store).postpone('key', 1, value),
  'markDead, key': (store, value) => inbox(store).markDead(value, 'error'),
  'markDead, error': (store, value) => inbox(store).markDead('key', value),
  'requeue, key': (store, value) => inbox(store).requeue(value, audit, nothing),
  'requeue, actor': (store, value) => inbox(store).requeue('key', { ...audit, actor: value }, nothing),
  'requeue, seen': (store, value) =>
    inbox(store).requeue('key', audit, nothing, { state: 'dead', generation: value }),
  'discard, seen': (store, value) => inbox(store).discard('key', audit, 0, { state: value, generation: 0 }),
  'quarantine, endpoint': (store, value) =>
    inbox(store).quarantine({
      endpoint: value,
      code: 'invalid_json',
      bodyHash: '',
      body: new Uint8Array(),
    }),
  'quarantine, body': (store, value) =>
    inbox(store).quarantine({ endpoint: 'a', code: 'invalid_json', bodyHash: '', body: value }),
  'quarantined, endpoint': (store, value) => inbox(store).quarantined({ endpoint: value }),
  'quarantined, limit': (store, value) => inbox(store).quarantined({ endpoint: 'a', limit: value }),
  'readQuarantined, key': async (store, value) => inbox(store).readQuarantined?.(value),
  'discard, key': (store, value) => inbox(store).discard(value, audit),
  'pruneQuarantine, seconds': (store, value) => inbox(store).pruneQuarantine(value, 1),
  'pruneQuarantine, limit': (store, value) => inbox(store).pruneQuarantine(1, value),
}

const stores: [string, () => Store<never>][] = [
  ['memory', () => memoryStore() as Store<never>],
  ['redis', () => redisStore({ client: redis }) as Store<never>],
  ['postgres', () => rig.store() as unknown as Store<never>],
  ...drivers.map(([name, open]): [string, () => Store<never>] => [
    `sqlite over ${name}`,
    () => sqliteStore(open(newFile())) as unknown as Store<never>,
  ]),
]

describe.each(stores)('the store on %s', (_, make) => {
  test('rejects an argument of the wrong type with a code, in every verb', async () => {
    const store = make()
    const calls = Object.entries({ ...onEveryStore, ...(store.inbox && onInboxes) })
    for (const [name, call] of calls) {
      for (const value of wrong) {
        // Without a resource an event is in order.
        if (name.endsWith('seconds') && value === null && name.startsWith('once')) {
          continue
        }
        const failure = await call(store, value as never).then(
          () => 'resolved',
          (error) => error.code,
        )
        expect(failure, `${name} ${String(value)}`).toBe('invalid_option')
      }
    }
    await store.close()
  })
})

test('a value that no SQLite driver accepts is an error below the port, not an abort', async () => {
  const { Connection } = await import('../../src/stores/sqlite/connection/connection.js')
  for (const [, open] of drivers) {
    const connection = new Connection(open(newFile()), 1)
    const ask = (value: unknown) => connection.read('ask', () => connection.all('SELECT ?', value as never))
    for (const value of [true, ['a'], {}, Number.NaN, undefined]) {
      await expect(ask(value)).rejects.toMatchObject({ code: 'invalid_option' })
    }
    expect(await ask('text')).toHaveLength(1)
    connection.close()
  }
})

test('a value that Postgres would convert is an error below the port', async () => {
  const store = postgresStore<unknown>({
    transaction: async (work) => work(undefined),
    query: async () => expect.unreachable(),
  })
  const limit = { valueOf: () => 1 }
  await expect(store.inbox.due(limit as never)).rejects.toMatchObject({ code: 'invalid_option' })
})
