import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import type { FailureLog } from '../../src/store/failure-log.js'
import type { Inbox } from '../../src/store/inbox.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newEvent, postgresRig } from './postgres-rig.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

const rig = postgresRig()
afterAll(removeFiles)

interface Stored {
  readonly inbox: Inbox<never>
  /** Adds events to a group, each received after the others. */
  add(group: string, state: 'dead' | 'failed', count: number, endpoint: string): Promise<void>
}

const stores: Record<string, () => Promise<Stored>> = {
  async SQLite() {
    const database = open(newFile())
    const store = sqliteStore(database)
    await store.check()
    const insert = database.prepare(
      `INSERT INTO webhook_inbox_events (state, queued, due_at, id, type, created_at, content_hash, body, key, endpoint, failure_group,
        received_at) SELECT ?, 1, 0, ? || n, 'a', '', '', x'', ? || n, ?, ?, ? + n
        FROM (WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ?) SELECT n FROM numbers)`,
    )
    return {
      inbox: store.inbox as never,
      async add(group, state, count, endpoint) {
        insert.run(state, state, randomUUID(), endpoint, group, Date.now() + 1000, count)
      },
    }
  },
  async Postgres() {
    return {
      inbox: postgresStore({ pool: rig.pool() }).inbox as never,
      async add(group, state, count, endpoint) {
        await rig.sql(
          `INSERT INTO webhook_inbox.events (state, attempt, queued, id, type, created_at, content_hash, body, key, endpoint,
             failure_group, received_at)
           SELECT $1, 0, true, $1 || n, 'a', '', '', '', $2::text || n, $3, $4, now() + make_interval(secs => 1 + n / 1000.0)
           FROM generate_series(1, $5::int) AS n`,
          [state, randomUUID(), endpoint, group, count],
        )
      },
    }
  },
}

/** Letters, because numbers in an error do not make another cause. */
const nameOf = (n: number) => String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26))

describe.each(Object.entries(stores))('the groups of failures on %s', (_, make) => {
  test('share a limit for their counts, and say which of them have more', async () => {
    const { inbox, add } = await make()
    const [endpoint, { groups }] = [randomUUID(), inbox.failures as FailureLog]
    for (let n = 0; n < 20; n++) {
      const event = newEvent({}, { endpoint })
      await inbox.accept(event)
      await inbox.postpone(event.key, 60, `the rail is down ${nameOf(n)}`)
    }
    const idOf = async (n: number) =>
      (await groups({ endpoint })).find(({ title }) => title.includes(`down ${nameOf(n)}`))?.group as string
    const [below, full, above] = [await idOf(0), await idOf(1), await idOf(2)]
    await add(below, 'failed', 4998, endpoint)
    await add(full, 'dead', 5000, endpoint)
    await add(above, 'failed', 5500, endpoint)

    // 100,000 for all groups of the page.
    const page = await groups({ endpoint, limit: 20 })
    const found = Object.fromEntries(page.map((each) => [each.group, each]))
    expect(found[below]).toMatchObject({ failed: 4999, dead: 0, count: 4999, isCapped: false })
    expect(found[full]).toMatchObject({ failed: 1, dead: 5000, count: 5001, isCapped: true })
    expect(found[above]).toMatchObject({ failed: 5000, dead: 0, count: 5000, isCapped: true })
    expect(page.filter(({ isCapped }) => isCapped)).toHaveLength(2)

    // A shorter page counts further.
    const short = (await groups({ endpoint, limit: 10 })).concat(
      await groups({ endpoint, limit: 10, after: page[9]?.group }),
    )
    expect(short.map(({ group }) => group)).toEqual(page.map(({ group }) => group))
    expect(short.find(({ group }) => group === above)).toMatchObject({ failed: 5501, isCapped: false })

    // The newest dead event is the example, or else the newest failed one.
    expect(found[full]?.example).toBe('dead5000')
    expect(found[above]?.example).toBe('failed5500')
  })

  test('are listed by their state, last seen first', async () => {
    const { inbox } = await make()
    const [endpoint, failures] = [randomUUID(), inbox.failures as FailureLog]
    for (const error of ['first', 'second', 'third']) {
      const event = newEvent({}, { endpoint })
      await inbox.accept(event)
      await inbox.markDead(event.key, error)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const titles = async (query: object) =>
      (await failures.groups({ endpoint, ...query })).map(({ title }) => title)
    expect(await titles({})).toEqual(['third', 'second', 'first'])
    const [third, second] = await failures.groups({ endpoint })
    const audit = { reason: 'a test', actor: 'a test' }
    expect(await failures.setState(endpoint, second?.group as string, 'acknowledged', audit)).toBe(true)
    expect(await titles({ state: 'open' })).toEqual(['third', 'first'])
    expect(await titles({ state: 'acknowledged' })).toEqual(['second'])
    expect(await titles({ state: 'resolved' })).toEqual([])
    expect(await titles({ after: third?.group, limit: 1 })).toEqual(['second'])
    expect(await titles({ after: third?.group, state: 'open' })).toEqual(['first'])
    // The same state again is no change.
    expect(await failures.setState(endpoint, second?.group as string, 'acknowledged', audit)).toBe(true)
    expect((await failures.groups({ endpoint, state: 'acknowledged' }))[0]?.changes).toBe(1)
    expect(await failures.setState('another', second?.group as string, 'resolved', audit)).toBe(false)
  })
})
