import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { d1Leases, d1Store } from '../../src/stores/d1.js'
import { testSender } from '../../src/testing/index.js'
import { type Database, type Miniflare, startWorker } from '../servers/d1.js'

let miniflare: Miniflare
let database: Database

beforeAll(async () => {
  miniflare = await startWorker('export default {}')
  database = await miniflare.getD1Database('DB')
}, 120_000)
afterAll(() => miniflare?.dispose())

const held = async (key: string, seconds = 60) => {
  const claim = await d1Leases({ database }).claim(key, seconds)
  return (claim as { token: string }).token
}

describe('d1Store', () => {
  const expire = (column: string) => database.prepare(`UPDATE webhook_inbox_claims SET ${column} = 1`).all()

  it('runs an event once, and says so to a second Worker', async () => {
    let runs = 0
    const receivers = [1, 2].map(() =>
      createReceiver({
        secret: 'whsec_of_the_worker',
        store: d1Store({ database }),
        handlers: { 'transfer.settled': () => void runs++ },
        logger: false,
      }),
    )
    const [first, second] = receivers.map((receiver) =>
      testSender({ receiver, secret: 'whsec_of_the_worker' }),
    )
    const answer = await first?.send('transfer.settled')
    expect(answer?.outcome).toBe('processed')
    expect(await second?.redeliver(answer as NonNullable<typeof answer>)).toMatchObject({
      outcome: 'duplicate',
    })
    expect(runs).toBe(1)
  })

  it('forgets a done event when its retention has passed, and not before', async () => {
    const leases = d1Leases({ database })
    const tomorrow = new Date(Date.now() + 86_400_000)
    await database.prepare('DELETE FROM webhook_inbox_claims').all()
    const claimed = await leases.claim('kept', 60)
    expect(await leases.complete('kept', (claimed as { token: string }).token, 'hash', 3600)).toBe(true)
    expect(await leases.prune(tomorrow, 10)).toBe(0)
    await expire('forget_at')
    expect(await leases.prune(new Date(0), 10)).toBe(0)
    expect(await leases.prune(tomorrow, 10)).toBe(1)
    expect(await leases.claim('kept', 60)).toMatchObject({ state: 'claimed', attempt: 1 })
  })

  it('forgets the attempts of an event that was not finished for a month', async () => {
    const leases = d1Leases({ database })
    await database.prepare('DELETE FROM webhook_inbox_claims').all()
    const claimed = await leases.claim('abandoned', 60)
    await leases.release('abandoned', (claimed as { token: string }).token)
    expect(await leases.prune(new Date(), 10)).toBe(0)
    await expire('lease_until')
    expect(await leases.prune(new Date(), 10)).toBe(1)
  })

  it('does not trust a lease of a clock that was ahead', async () => {
    const leases = d1Leases({ database })
    await leases.claim('ahead', 60)
    const later = Date.now() + 3_600_000
    await database.prepare(`UPDATE webhook_inbox_claims SET lease_until = ${later}`).all()
    const found = await leases.claim('ahead', 60)
    expect(found.state).toBe('leased')
    expect((found as { remainingSeconds: number }).remainingSeconds).toBeLessThanOrEqual(60)
  })

  it('keeps a key for the holder of its token only', async () => {
    const leases = d1Leases({ database })
    const token = await held('mine')
    for (const foreign of ['', 'of another']) {
      expect(await leases.extend('mine', foreign, 60)).toBe(false)
      expect(await leases.release('mine', foreign)).toBe(false)
      expect(await leases.complete('mine', foreign, 'hash', 60)).toBe(false)
    }
    expect(await leases.extend('mine', token, 600)).toBe(true)
    const found = (await leases.claim('mine', 60)) as { remainingSeconds: number }
    expect(found.remainingSeconds).toBeGreaterThan(500)
    expect(found.remainingSeconds).toBeLessThanOrEqual(600)
    expect(await leases.release('mine', token)).toBe(true)
    expect(await leases.claim('mine', 60)).toMatchObject({ state: 'claimed', attempt: 2 })
  })

  it('never cuts a time, not even by a part of a millisecond', async () => {
    const token = await held('whole', 0.0011)
    await d1Leases({ database }).complete('whole', token, 'hash', 0.0021)
    const select = database.prepare('SELECT * FROM webhook_inbox_claims WHERE key = ?1').bind('whole')
    const [row] = (await select.all()).results
    expect(row?.lease_span).toBe(2)
    expect(Number(row?.forget_at) - Number(row?.done_at)).toBe(3)
  })

  it('cuts a time that is longer than D1 can keep', async () => {
    const token = await held('long', Number.MAX_VALUE)
    const leases = d1Leases({ database })
    const found = (await leases.claim('long', 60)) as { remainingSeconds: number }
    expect(found.remainingSeconds).toBeGreaterThan(1000 * 365 * 86_400)
    expect(await leases.complete('long', token, 'hash', Number.MAX_VALUE)).toBe(true)
  })

  it('names the missing table', async () => {
    const store = d1Store({ database: await miniflare.getD1Database('EMPTY') })
    await expect(store.check()).rejects.toMatchObject({
      code: 'store_not_migrated',
      detail: 'the database has no table; run the SQL of d1Migration',
      cause: expect.objectContaining({ message: expect.stringContaining('no such table') }),
    })
  })

  it.each<[string, (leases: ReturnType<typeof d1Leases>) => unknown]>([
    ['claim an event', (leases) => leases.claim('key', 60)],
    ['extend a claim', (leases) => leases.extend('key', 'token', 60)],
    ['mark an event done', (leases) => leases.complete('key', 'token', 'hash', 60)],
    ['release a claim', (leases) => leases.release('key', 'token')],
    ['answer', (leases) => leases.check()],
    ['prune', (leases) => leases.prune(new Date(), 10)],
  ])('says that it could not %s', async (doing, ask) => {
    const other = d1Leases({ database: await miniflare.getD1Database('OTHER') })
    await expect(ask(other)).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringMatching(new RegExp(`D1 could not ${doing} \\(.*no (such )?column`)),
    })
  })

  it.each<[object, string]>([
    [{}, 'database must be the binding of a D1 database, such as env.DB'],
    [{ database: {} }, 'database must be the binding of a D1 database, such as env.DB'],
    [{ database: 'DB' }, 'database must be the binding of a D1 database, such as env.DB'],
    [{ database: { batch() {} } }, 'database must be the binding of a D1 database, such as env.DB'],
    [{ database: 'unreadable' }, 'database must be readable'],
    [{ prefix: 'x' }, 'prefix is not an option of d1Store; there are database'],
    [[], 'the options of d1Store must be an object'],
  ])('rejects the options %j', (options, detail) => {
    const unreadable = {
      get prepare() {
        throw new Error('no')
      },
    }
    const isUnreadable = (options as { database?: unknown }).database === 'unreadable'
    const given = isUnreadable ? { database: unreadable } : options
    expect(() => d1Store(given as never)).toThrow(expect.objectContaining({ detail }))
  })
})
