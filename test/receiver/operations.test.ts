import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { migrations } from '../../src/stores/sqlite/sqlite-migrations.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { open } from '../stores/sqlite-rig.js'
import { clock, delivery, secret, settled } from './deliver.js'

afterAll(removeFiles)

const audit = { reason: 'a ticket', actor: 'an operator' }
const invalid = { name: 'ConfigurationError', code: 'invalid_option' }
const patiently = { timeout: 15_000, interval: 20 }

let path: string
beforeEach(() => {
  path = newFile()
})

const receiverOf = (endpoint: string, over: object = {}): Receiver =>
  createReceiver({
    secret,
    now: clock,
    logger: false,
    store: sqliteStore(path),
    queue: localQueue({ pollSeconds: 3600, retry: { attempts: 1 } }),
    endpoint,
    fallback: () => {},
    ...over,
  })

const accept = async (receiver: Receiver, id: string) =>
  expect(await receiver.receive(await delivery({ ...settled, id }))).toMatchObject({ outcome: 'accepted' })

/** Delivers other data with an accepted id, so that it is quarantined. */
const conflict = async (receiver: Receiver, id: string) =>
  expect(
    await receiver.receive(
      await delivery({ ...settled, id, data: { ...settled.data, transferId: 'other' } }),
    ),
  ).toMatchObject({ outcome: 'quarantined' })

describe('a queue that throws after a commit', () => {
  it.each([
    ['throws', () => void JSON.parse('{')],
    ['rejects', () => Promise.reject(new Error('the engine is down'))],
  ])('is only logged where it %s: the change has happened', async (_, committed) => {
    const lines: string[] = []
    const error = (line: string) => lines.push(line)
    const queue = {
      guarantee: '',
      consume: async () => async () => {},
      enqueue: async () => {},
      committed: committed as () => void,
    }
    const receiver = receiverOf('default', { queue, logger: { info() {}, warn() {}, error } })
    await accept(receiver, 'evt_1')
    expect(await receiver.replay('evt_1', audit)).toBe(1)
    expect(await receiver.replayEdited('evt_1', { data: settled.data }, audit)).toMatch(/^evt_edited_/)
    await new Promise((resolve) => setImmediate(resolve))
    const [line, ...others] = lines.filter((each) => each.includes('the queue failed after a commit'))
    expect(line).toContain('its next search finds the event')
    expect(others).toHaveLength(2)
    expect((await receiver.audits()).map(({ action }) => action)).toEqual(['replayEdited', 'replay'])
  })
})

describe('the operations of a receiver', () => {
  it('cover its own endpoint, or all with allEndpoints', async () => {
    const [one, two] = [receiverOf('one'), receiverOf('two')]
    for (const receiver of [one, two]) {
      await accept(receiver, 'evt_1')
      await conflict(receiver, 'evt_1')
    }
    const endpoints = async (list: Promise<readonly { endpoint: string }[]>) =>
      (await list).map(({ endpoint }) => endpoint).sort()
    expect(await endpoints(one.list())).toEqual(['one'])
    expect(await endpoints(one.list({ allEndpoints: undefined }))).toEqual(['one'])
    expect(await endpoints(one.list({ allEndpoints: false, state: 'accepted' }))).toEqual(['one'])
    expect(await endpoints(one.list({ allEndpoints: true }))).toEqual(['one', 'two'])
    expect(await endpoints(two.quarantined())).toEqual(['two'])
    expect(await endpoints(two.quarantined({ limit: 10 }))).toEqual(['two'])
    expect(await endpoints(two.quarantined({ allEndpoints: true }))).toEqual(['one', 'two'])
    expect(await two.quarantined({ limit: 1, allEndpoints: true })).toHaveLength(1)
    expect(await one.inspect('evt_1')).toMatchObject({ endpoint: 'one', id: 'evt_1' })
    expect(await one.inspect('evt_2')).toBeUndefined()
  })

  it('list the events of a state in pages', async () => {
    const receiver = receiverOf('pages')
    for (const id of ['evt_1', 'evt_2', 'evt_3']) {
      await accept(receiver, id)
    }
    const [first] = await receiver.list({ limit: 1 })
    expect(first?.id).toBe('evt_1')
    const rest = await receiver.list({ after: first?.key })
    expect(rest.map(({ id }) => id)).toEqual(['evt_2', 'evt_3'])
    expect(await receiver.list({ state: 'done' })).toEqual([])
  })

  it('replay a done event and a dead one, with an audit', async () => {
    const seen: number[] = []
    let isBroken = true
    const receiver = receiverOf('replays', {
      fallback() {
        seen.push(1)
        if (isBroken) {
          throw new Error('broken')
        }
      },
    })
    await receiver.start()
    await accept(receiver, 'evt_1')
    const state = async () => (await receiver.inspect('evt_1'))?.state
    await expect.poll(state, patiently).toBe('dead')
    isBroken = false
    expect(await receiver.replay('evt_1', audit)).toBe(1)
    await expect.poll(state, patiently).toBe('done')
    expect(await receiver.replay('evt_1', { ...audit, reason: 'again' })).toBe(2)
    await expect.poll(() => seen.length, patiently).toBe(3)
    await expect.poll(state, patiently).toBe('done')
    await receiver.stop()
    const database = open(path)
    const kept = database
      .prepare('SELECT generation, reason, actor FROM webhook_inbox_replays ORDER BY generation')
      .all() as object[]
    database.close()
    expect(kept).toMatchObject([
      { generation: 1, ...audit },
      { generation: 2, reason: 'again', actor: 'an operator' },
    ])
  })

  it('replay gives the queue a job of the next generation with its resource, and wakes it after the commit', async () => {
    const jobs: unknown[] = []
    const receiver = receiverOf('jobs', {
      resource: () => 'account 1',
      queue: {
        guarantee: '',
        consume: async () => async () => {},
        enqueue: async (job: object) => void jobs.push(['enqueue', job]),
        committed: (job: object) => void jobs.push(['committed', job]),
      },
    })
    await accept(receiver, 'evt_1')
    const key = (await receiver.inspect('evt_1'))?.key
    jobs.length = 0
    expect(await receiver.replay('evt_1', audit)).toBe(1)
    const job = { key, type: settled.type, endpoint: 'jobs', resource: 'account 1', generation: 1 }
    expect(jobs).toEqual([
      ['enqueue', job],
      ['committed', job],
    ])
  })

  it.each([undefined, { reason: '', actor: 'a' }, { reason: 'a', actor: ' ' }, { reason: 'a' }])(
    'replay and discard nothing with the audit %o',
    async (given) => {
      const receiver = receiverOf('audits')
      await accept(receiver, 'evt_1')
      await conflict(receiver, 'evt_1')
      const [delivered] = await receiver.quarantined()
      await expect(receiver.replay('evt_1', given as never)).rejects.toMatchObject(invalid)
      for (const key of ['evt_1', delivered?.key as string]) {
        await expect(receiver.discard(key, given as never)).rejects.toMatchObject({
          ...invalid,
          message: expect.stringMatching(/discard needs an? (?:reason|actor)/),
        })
      }
      expect(await receiver.quarantined()).toHaveLength(1)
    },
  )

  it('discard nothing of an endpoint whose name begins with that of the receiver', async () => {
    const [outer, inner] = [receiverOf('acme'), receiverOf('acme/eu')]
    await accept(inner, 'evt_1')
    await conflict(inner, 'evt_1')
    const [delivered] = await inner.quarantined()
    await expect(outer.discard(delivered?.key as string, audit)).rejects.toMatchObject(invalid)
    expect(await inner.quarantined()).toHaveLength(1)
  })

  it('read one quarantined delivery by its key, but only of this endpoint', async () => {
    const [one, two] = [receiverOf('one'), receiverOf('two')]
    await accept(two, 'evt_1')
    await conflict(two, 'evt_1')
    const [delivered] = await two.quarantined()
    const key = delivered?.key as string
    expect(await two.inspectQuarantined(key)).toEqual(delivered)
    expect(await one.inspectQuarantined(key)).toBeUndefined()
    expect(await two.inspectQuarantined('evt_1')).toBeUndefined()
  })

  it('discard a dead event and a quarantined delivery, but only of this endpoint', async () => {
    const [one, two] = [receiverOf('one'), receiverOf('two')]
    for (const receiver of [one, two]) {
      await accept(receiver, 'evt_1')
      await conflict(receiver, 'evt_1')
    }
    const [delivered] = await two.quarantined()
    const key = delivered?.key as string
    await expect(one.discard(key, audit)).rejects.toMatchObject(invalid)
    expect(await two.quarantined()).toHaveLength(1)
    await two.discard(key, audit)
    expect(await two.quarantined()).toEqual([])
    expect(await one.quarantined()).toHaveLength(1)
    await expect(two.discard(key, audit)).rejects.toMatchObject(invalid)

    await expect(one.discard('evt_1', audit), 'it is not dead').rejects.toMatchObject(invalid)
    const store = sqliteStore(path)
    for (const { key } of await store.inbox.list({ allEndpoints: true })) {
      await store.inbox.markDead(key, 'the end')
    }
    await one.discard('evt_1', audit)
    expect(await one.inspect('evt_1')).toBeUndefined()
    expect(await two.inspect('evt_1')).toMatchObject({ state: 'dead' })
    await accept(one, 'evt_1')
  })

  it('discard an event whose id looks like the key of a delivery', async () => {
    const receiver = receiverOf('one')
    const snake = { id: 'one/evt', type: 'any', created_at: settled.createdAt, data: {} }
    expect(await receiver.receive(await delivery(snake))).toMatchObject({ outcome: 'accepted' })
    const store = sqliteStore(path)
    const [stored] = await store.inbox.list({ allEndpoints: true })
    await store.inbox.markDead(stored?.key as string, 'the end')
    await receiver.discard('one/evt', audit)
    expect(await receiver.list()).toEqual([])
  })

  it('discard the event and not the delivery, where an event has the key of a delivery as its id', async () => {
    const receiver = receiverOf('one')
    await accept(receiver, 'evt_1')
    await conflict(receiver, 'evt_1')
    const key = (await receiver.quarantined())[0]?.key as string
    const snake = { id: key, type: 'any', created_at: settled.createdAt, data: {} }
    expect(await receiver.receive(await delivery(snake))).toMatchObject({ outcome: 'accepted' })
    await expect(receiver.discard(key, audit)).rejects.toMatchObject(invalid)
    const store = sqliteStore(path)
    await store.inbox.markDead((await receiver.inspect(key))?.key as string, 'the end')
    await expect(receiver.discard(key, audit)).rejects.toMatchObject(invalid)
    expect([await receiver.quarantined(), await receiver.list()]).toMatchObject([
      [{ key }],
      [{}, { id: key }],
    ])
    await receiver.discard(key, audit, { kind: 'event' })
    expect([await receiver.quarantined(), await receiver.list()]).toMatchObject([
      [{ key }],
      [{ id: 'evt_1' }],
    ])
    await receiver.undo(key, audit)
    await receiver.discard(key, audit, { kind: 'delivery' })
    expect([await receiver.quarantined(), await receiver.list()]).toMatchObject([[], [{}, { id: key }]])
    await receiver.discard(key, audit, { kind: 'event' })
    expect(await receiver.undo(key, audit, { kind: 'delivery' })).toBe(1)
    expect([await receiver.quarantined(), await receiver.list()]).toMatchObject([
      [{ key }],
      [{ id: 'evt_1' }],
    ])
    expect(await receiver.undo(key, audit, { kind: 'event' })).toBe(1)
    await expect(receiver.undo(key, audit, { kind: 'run' as never })).rejects.toMatchObject(invalid)
  })

  it('change an event only if it is as the operator saw it', async () => {
    const changed = { name: 'ConflictError', code: 'event_changed' }
    const receiver = receiverOf('one')
    await accept(receiver, 'evt_1')
    const store = sqliteStore(path)
    const bury = async () => store.inbox.markDead((await receiver.inspect('evt_1'))?.key as string, 'the end')
    await bury()
    const seen = await receiver.inspect('evt_1')
    expect(await receiver.replay('evt_1', audit, { seen })).toBe(1)
    await bury()
    await expect(receiver.replay('evt_1', audit, { seen })).rejects.toMatchObject(changed)
    await expect(receiver.discard('evt_1', audit, { seen })).rejects.toMatchObject(changed)
    const now = await receiver.inspect('evt_1')
    expect(now).toMatchObject({ state: 'dead', generation: 1 })
    await receiver.discard('evt_1', audit, { seen: now })
    for (const act of [receiver.replay, receiver.discard]) {
      await expect(act('evt_1', audit, { seen: now })).rejects.toMatchObject(changed)
      for (const wrong of [null, 'dead', {}, { state: 'dead' }, { state: 'dead', generation: -1 }]) {
        await expect(act('evt_1', audit, { seen: wrong as never })).rejects.toMatchObject(invalid)
      }
    }
    const delivery = { kind: 'delivery', seen: now } as const
    await expect(receiver.discard('evt_1', audit, delivery)).rejects.toMatchObject(invalid)
    await expect(receiver.discard('evt_1', audit, { kind: 'all' as never })).rejects.toMatchObject(invalid)
  })

  it.each([
    ['by the retention of done events', 1, { retentionSeconds: 30 * 86_400 }],
    ['by its own retention, which is longer', 0, { quarantineRetentionSeconds: 50 * 86_400 }],
    ['by its own retention, which is shorter', 1, { quarantineRetentionSeconds: 3600 }],
  ])('prune the quarantine %s', async (_, pruned, over) => {
    const receiver = receiverOf('quarantined', { retentionSeconds: 30 * 86_400, ...over })
    await accept(receiver, 'evt_1')
    await conflict(receiver, 'evt_1')
    expect(await receiver.prune()).toBe(0)
    const database = open(path)
    database.prepare('UPDATE webhook_inbox_quarantine SET received_at = received_at - 40 * 86400000').run()
    database.close()
    expect(await receiver.prune()).toBe(pruned)
    expect((await receiver.health()).counts).toMatchObject({ accepted: 1, quarantined: 1 - pruned })
  })

  it('prune any number of done events and quarantined deliveries, and count both', async () => {
    let [done, quarantined] = [2500, 1200]
    const limits = new Set<number>()
    const dates: Date[] = []
    const take = (left: number, limit: number) => {
      limits.add(limit)
      return Math.min(left, limit)
    }
    const store = sqliteStore(path)
    const receiver = receiverOf('prune', {
      store: {
        ...store,
        async prune(before: Date, limit: number) {
          dates.push(before)
          const count = take(done, limit)
          done -= count
          return count
        },
        inbox: {
          ...store.inbox,
          async pruneQuarantine(seconds: number, limit: number) {
            expect(seconds).toBe(30 * 86_400)
            const count = take(quarantined, limit)
            quarantined -= count
            return count
          },
        },
      },
      retentionSeconds: 30 * 86_400,
    })
    expect(await receiver.prune()).toBe(3700)
    expect([done, quarantined]).toEqual([0, 0])
    expect(Date.now() - (dates[0]?.getTime() ?? 0)).toBeGreaterThanOrEqual(30 * 86_400_000)
    expect(Date.now() - (dates[0]?.getTime() ?? 0)).toBeLessThan(31 * 86_400_000)
  })

  it('count the events of the store', async () => {
    const receiver = receiverOf('health')
    await accept(receiver, 'evt_1')
    await conflict(receiver, 'evt_1')
    expect((await receiver.health()).counts).toMatchObject({ accepted: 1, quarantined: 1 })
  })

  it.each<[string, (receiver: Receiver) => Promise<unknown>, string?]>([
    ['list of no object', (receiver) => receiver.list('dead' as never)],
    ['list of another endpoint', (receiver) => receiver.list({ endpoint: 'b' } as never), 'unknown_option'],
    [
      'list of an endpoint that is undefined and a misspelling',
      (receiver) => receiver.list({ states: 'dead' } as never),
      'unknown_option',
    ],
    ['list of an unknown state', (receiver) => receiver.list({ state: 'gone' as never })],
    ['list with a limit that is no whole number', (receiver) => receiver.list({ limit: 1.5 })],
    ['list after no string', (receiver) => receiver.list({ after: 7 as never })],
    ['list of all endpoints by a string', (receiver) => receiver.list({ allEndpoints: 'true' as never })],
    ['quarantined by a number', (receiver) => receiver.quarantined(100 as never)],
    ['quarantined with a limit below zero', (receiver) => receiver.quarantined({ limit: -1 })],
    ['inspect of no string', (receiver) => receiver.inspect(['evt_1'] as never)],
    ['inspectQuarantined of no string', (receiver) => receiver.inspectQuarantined(7 as never)],
    ['inspect of nothing', (receiver) => receiver.inspect('')],
    ['replay of no string', (receiver) => receiver.replay({} as never, audit)],
    ['replay of an unknown event', (receiver) => receiver.replay('evt_0', audit)],
    ['replay without an audit', (receiver) => receiver.replay('evt_1', undefined as never)],
    ['replay without a reason', (receiver) => receiver.replay('evt_1', { ...audit, reason: ' ' })],
    ['replay without an actor', (receiver) => receiver.replay('evt_1', { reason: 'a' } as never)],
    [
      'replay by an actor that is no string',
      (receiver) => receiver.replay('evt_1', { ...audit, actor: 7 as never }),
    ],
    ['discard of no string', (receiver) => receiver.discard(7 as never, audit)],
    ['discard of an unknown event', (receiver) => receiver.discard('evt_0', audit)],
    ['discard without a reason', (receiver) => receiver.discard('evt_1', { ...audit, reason: '' })],
    ['discard without an actor', (receiver) => receiver.discard('evt_1', { reason: 'a' } as never)],
  ])('reject %s', async (_, run, code = 'invalid_option') => {
    const receiver = receiverOf('refusals')
    await accept(receiver, 'evt_1')
    await expect(run(receiver)).rejects.toMatchObject({ name: 'ConfigurationError', code })
    expect(await receiver.inspect('evt_1')).toMatchObject({ state: 'accepted', generation: 0 })
  })

  it('reject a replay without a queue, and everything on a store without an inbox', async () => {
    await expect(receiverOf('none', { queue: undefined }).replay('evt_1', audit)).rejects.toMatchObject(
      invalid,
    )
    const receiver = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
    for (const run of [
      () => receiver.list(),
      () => receiver.inspect('evt_1'),
      () => receiver.quarantined(),
      () => receiver.inspectQuarantined('default/a'),
      () => receiver.discard('evt_1', audit),
      () => receiver.health(),
    ]) {
      await expect(run()).rejects.toMatchObject({ code: 'invalid_store' })
    }
    expect(await receiver.prune()).toBe(0)
  })
})

describe('the audits of a receiver', () => {
  it('list what was done to an event, newest first, also after it is gone', async () => {
    const [receiver, other] = [receiverOf('audited'), receiverOf('other')]
    await accept(receiver, 'evt_1')
    await accept(receiver, 'evt_2')
    await receiver.replay('evt_1', audit)
    await receiver.replay('evt_2', audit)
    await receiver.replay('evt_1', { ...audit, actor: 'another' })
    const database = open(path)
    database.exec("UPDATE webhook_inbox_events SET state = 'dead' WHERE id = 'evt_1'")
    database.close()
    await receiver.discard('evt_1', audit)
    const entries = await receiver.audits({ eventId: 'evt_1' })
    expect(entries).toMatchObject([
      { action: 'discard', eventId: 'evt_1', endpoint: 'audited', ...audit },
      { action: 'replay', eventId: 'evt_1', actor: 'another' },
      { action: 'replay', eventId: 'evt_1', ...audit },
    ])
    expect((await receiver.audits({ limit: 2 })).map(({ action }) => action)).toEqual(['discard', 'replay'])
    expect(await receiver.audits({ after: entries[2]?.id as string })).toEqual([])
    expect(await other.audits()).toEqual([])
    expect(await other.audits({ allEndpoints: true })).toHaveLength(4)
  })

  it('begin with what the version before has kept', async () => {
    const old = open(path)
    for (const sql of migrations.slice(0, 4)) {
      old.exec(sql)
    }
    old.exec(`CREATE TABLE webhook_inbox_schema (version INTEGER NOT NULL);
      INSERT INTO webhook_inbox_schema VALUES (4);
      INSERT INTO webhook_inbox_replays VALUES ('key', 1, 'first', 'somebody', 1000);
      INSERT INTO webhook_inbox_discards VALUES (1, 'key', 'evt_1', NULL, 'hash', 'second', 'somebody', 2000)`)
    old.close()
    const entries = await receiverOf('any').audits({ allEndpoints: true })
    expect(entries.map(({ action, reason, at }) => [action, reason, at])).toEqual([
      ['discard', 'second', '1970-01-01T00:00:02.000Z'],
      ['replay', 'first', '1970-01-01T00:00:01.000Z'],
    ])
  })

  it('reject arguments that they cannot use', async () => {
    const receiver = receiverOf('checked')
    for (const query of [{ eventId: '' }, { run: 1 }, { after: 'x' }, { limit: 1.5 }, null]) {
      await expect(receiver.audits(query as never)).rejects.toMatchObject(invalid)
    }
    await expect(receiver.audits({ event: 'evt_1' } as never)).rejects.toMatchObject({
      code: 'unknown_option',
    })
    const forgetful = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
    await expect(forgetful.audits()).rejects.toMatchObject({ code: 'invalid_store' })
  })
})
