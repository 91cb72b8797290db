import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { StoreError } from '../../src/errors.js'
import type { EventRef } from '../../src/store/event-ref.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { startCommitCutter } from '../servers/commit-cutter.js'
import { inHand, newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

const many = (count: number, over: Partial<EventRef> = {}) =>
  Array.from({ length: count }, () => newEvent({ waitSeconds: 2 }, over))

/** Returns the stored events in their order of acceptance, with their transactions. */
async function kept(events: readonly EventRef[]) {
  const rows = await rig.sql(
    'SELECT key, xmin::text AS transaction FROM webhook_inbox.events WHERE key = ANY ($1) ORDER BY seq',
    [events.map(({ key }) => key)],
  )
  return {
    keys: rows.map(({ key }) => key as string),
    transactions: new Set(rows.map(({ transaction }) => transaction)).size,
  }
}

const accepted = { state: 'accepted' }

test('an accepted event does not run with other content', async () => {
  const store = rig.store()
  const [event] = many(1) as [EventRef]
  expect(await store.inbox.accept(event)).toEqual(accepted)
  let runs = 0
  const outcome = await store.once({ ...event, contentHash: newEvent().contentHash }, async () => runs++)
  expect([outcome, runs]).toEqual([{ state: 'duplicate', contentHash: event.contentHash }, 0])
  expect((await store.inbox.read(event.key))?.state).toBe('accepted')
})

test('a replay keeps its audit with the event, once for each generation', async () => {
  const { inbox } = rig.store()
  const [event] = many(1) as [EventRef]
  await inbox.accept(event)
  for (const actor of ['first', 'second']) {
    await inbox.requeue(event.key, { reason: `of the ${actor}`, actor }, async () => {})
  }
  const rows = await rig.sql(
    'SELECT generation, reason, actor FROM webhook_inbox.replays WHERE key = $1 ORDER BY generation',
    [event.key],
  )
  expect(rows).toEqual([
    { generation: 1, reason: 'of the first', actor: 'first' },
    { generation: 2, reason: 'of the second', actor: 'second' },
  ])
})

describe('concurrently accepted events', () => {
  test('are committed together, in the order they arrived', async () => {
    const { inbox } = rig.store({ max: 2 })
    const events = many(150)
    const outcomes = await Promise.all(events.map((event) => inbox.accept(event)))
    expect(new Set(outcomes)).toEqual(new Set([accepted]))
    const { keys, transactions } = await kept(events)
    expect(keys).toEqual(events.map(({ key }) => key))
    expect(transactions).toBeLessThan(events.length)
  })

  test('are committed in several transactions if their bodies are large', async () => {
    const { inbox } = rig.store()
    const events = many(12, { body: new Uint8Array(2 ** 20).fill(7) })
    await Promise.all(events.map((event) => inbox.accept(event)))
    const { keys, transactions } = await kept(events)
    expect(keys).toHaveLength(12)
    expect(transactions).toBeGreaterThan(2)
    expect((await inbox.read((events[5] as EventRef).key))?.body).toHaveLength(2 ** 20)
  })

  test('with different contents for one id: the first is stored', async () => {
    const { inbox } = rig.store()
    const [event] = many(1) as [EventRef]
    const others = Array.from({ length: 20 }, () => ({
      ...event,
      contentHash: newEvent().contentHash,
      body: new TextEncoder().encode('another'),
    }))
    const outcomes = await Promise.all([event, ...others].map((each) => inbox.accept(each)))
    expect(outcomes[0]).toEqual(accepted)
    for (const outcome of outcomes.slice(1)) {
      expect(outcome).toEqual({ state: 'duplicate', contentHash: event.contentHash })
    }
    expect(await inbox.read(event.key)).toMatchObject({ contentHash: event.contentHash })
  })

  test('with one known event: the others are accepted together', async () => {
    const { inbox } = rig.store({ max: 1 })
    const [known] = many(1) as [EventRef]
    await rig.store().inbox.accept(known)
    const events = many(30)
    const outcomes = await Promise.all([...events, known].map((event) => inbox.accept(event)))
    expect(outcomes.pop()).toEqual({ state: 'duplicate', contentHash: known.contentHash })
    expect(new Set(outcomes)).toEqual(new Set([accepted]))
    const { keys, transactions } = await kept(events)
    expect(keys).toEqual(events.map(({ key }) => key))
    expect(transactions).toBeLessThan(events.length)
  })

  test('with one that the database rejects: only that one fails', async () => {
    const { inbox } = rig.store()
    const events = many(30)
    const poison = newEvent({}, { type: 'a zero byte: \0' })
    const refused = expect(inbox.accept(poison)).rejects.toThrow(StoreError)
    const outcomes = await Promise.all(events.map((event) => inbox.accept(event)))
    await refused
    expect(new Set(outcomes)).toEqual(new Set([accepted]))
    expect((await kept([...events, poison])).keys).toHaveLength(30)
  })

  test.each(['plain', 'NULL', '', '{a,b}', '"', '\\', 'tab\tline\n', 'é 😀 \u2028', ' spaced '])(
    'with %o unchanged',
    async (text) => {
      const { inbox } = rig.store()
      const events = [...many(1, { type: text, createdAt: text }), ...many(4, { endpoint: text })]
      await Promise.all(events.map((event) => inbox.accept(event)))
      for (const { key, endpoint, type, createdAt } of events) {
        expect(await inbox.read(key)).toMatchObject({ endpoint, type, createdAt })
      }
    },
  )

  test('with one that a handler is running: no delivery waits for the handler', async () => {
    const [here, there] = [rig.store(), rig.store()]
    const [running, events] = [newEvent(), many(40)]
    await here.inbox.accept(running)
    const end = await inHand(there, running)
    const all = [...events.slice(0, 20), running, ...events.slice(20)]
    const outcomes = await Promise.all(all.map((event) => here.inbox.accept(event)))
    expect(outcomes[20]).toEqual({ state: 'duplicate', contentHash: running.contentHash })
    const others = [...outcomes.slice(0, 20), ...outcomes.slice(21)]
    expect(new Set(others)).toEqual(new Set([accepted]))
    const { keys, transactions } = await kept(events)
    expect(keys).toEqual(events.map(({ key }) => key))
    expect(transactions).toBeLessThan(events.length)
    await end()
  })

  test('wait for a handler at most as long as their delivery may wait, in a batch or alone', async () => {
    const [here, there] = [rig.store(), rig.store()]
    const running = newEvent({ waitSeconds: 1 })
    const end = await inHand(there, running)
    expect(await here.inbox.accept(running)).toEqual({ state: 'busy', retryAfterSeconds: 1 })
    await end()
  })

  test('with one that a handler runs although it was not accepted: only that one is busy', async () => {
    const [here, there] = [rig.store(), rig.store()]
    const [running, events] = [newEvent({ waitSeconds: 1 }), many(20)]
    const end = await inHand(there, running)
    const concurrent = here.inbox.accept(running)
    const outcomes = await Promise.all(events.map((event) => here.inbox.accept(event)))
    expect(new Set(outcomes)).toEqual(new Set([accepted]))
    expect(await concurrent).toEqual({ state: 'busy', retryAfterSeconds: 1 })
    expect((await end()).state).toBe('done')
  })

  test('work on connections that lost their prepared statements', async () => {
    const pool = rig.pool({ max: 1 })
    const { inbox } = postgresStore({ pool })
    for (let i = 0; i < 3; i++) {
      const events = many(10)
      const outcomes = await Promise.all(events.map((event) => inbox.accept(event)))
      expect(new Set(outcomes)).toEqual(new Set([accepted]))
      expect((await kept(events)).keys).toHaveLength(10)
      expect(await inbox.accept(newEvent())).toEqual(accepted)
      await pool.query('DEALLOCATE ALL')
    }
  })
})

describe('a batch that cannot be committed', () => {
  test('because the reply is lost: every accept rejects, and a redelivery is a duplicate', async () => {
    const cutter = await startCommitCutter(rig.server.port, /INSERT INTO "webhook_inbox"/)
    const connectionString = rig.url.replace(`:${rig.server.port}`, `:${cutter.port}`)
    try {
      const { inbox } = rig.store({ connectionString })
      const events = many(10)
      cutter.arm(true)
      const outcomes = await Promise.allSettled(events.map((event) => inbox.accept(event)))
      expect(cutter.cuts()).toBe(1)
      for (const outcome of outcomes) {
        expect(outcome.status).toBe('rejected')
        expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(StoreError)
      }
      cutter.arm(false)
      const again = await Promise.all(events.map((event) => inbox.accept(event)))
      expect(again.map(({ state }) => state)).toEqual(events.map(() => 'duplicate'))
    } finally {
      await cutter.close()
    }
  })

  test('because the tables are missing: every accept rejects with that code, without a second try', async () => {
    const pool = rig.pool({ max: 3 })
    const { inbox } = postgresStore({ pool, schema: 'nowhere' })
    const outcomes = await Promise.allSettled(many(100).map((event) => inbox.accept(event)))
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(pool.totalCount).toBe(1)
  })

  test('because the server is down: every accept rejects, and later ones work when it is back', async () => {
    const { inbox } = rig.store()
    await inbox.accept(newEvent())
    await rig.server.stop('immediate')
    const lost = await Promise.allSettled(many(20).map((event) => inbox.accept(event)))
    expect(new Set(lost.map(({ status }) => status))).toEqual(new Set(['rejected']))
    await rig.server.start()
    const events = many(20)
    const outcomes = await Promise.all(events.map((event) => inbox.accept(event)))
    expect(new Set(outcomes)).toEqual(new Set([accepted]))
    expect((await kept(events)).keys).toHaveLength(20)
  })

  test('because it exceeds the statement timeout: each is tried alone', async () => {
    const { inbox } = rig.store({ statement_timeout: 200, max: 4 })
    const lock = new pg.Client({ connectionString: rig.url })
    await lock.connect()
    const late = newEvent()
    // The batch waits for this key, as for a concurrent delivery in another process.
    await lock.query('BEGIN')
    await lock.query(
      `INSERT INTO webhook_inbox.events (key, endpoint, id, type, created_at, content_hash, body, state, attempt, queued)
       VALUES ($1, '', '', '', '', '', '', 'accepted', 0, true)`,
      [late.key],
    )
    const concurrent = inbox.accept(late).catch((error) => error)
    const events = many(10)
    const outcomes = await Promise.all(events.map((event) => inbox.accept(event)))
    expect(new Set(outcomes)).toEqual(new Set([accepted]))
    await lock.query('COMMIT')
    await lock.end()
    expect(await concurrent).toBeDefined()
  })
})
