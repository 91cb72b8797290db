import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { type D1Database, d1Leases, d1Migration, d1Store } from '../../src/stores/d1.js'
import { testSender } from '../../src/testing/index.js'
import { fetchPackage } from '../setup/fetch-package.js'
import { lawsOf } from './d1-worker.js'

/** Of miniflare, the parts that these tests use. It runs workerd with its own D1. */
interface Miniflare {
  dispatchFetch(url: string): Promise<{ readonly status: number; text(): Promise<string> }>
  getD1Database(binding: string): Promise<D1Database & { exec(sql: string): Promise<unknown> }>
  dispose(): Promise<void>
}

const release = '4.20260730.0'
let miniflare: Miniflare
let database: Awaited<ReturnType<Miniflare['getD1Database']>>

beforeAll(async () => {
  const modules = await fetchPackage('miniflare', release)
  const entry = createRequire(join(modules, 'index.js')).resolve('miniflare')
  const { Miniflare } = (await import(pathToFileURL(entry).href)) as {
    Miniflare: new (options: object) => Miniflare
  }
  miniflare = new Miniflare({
    modules: true,
    script: await worker(),
    compatibilityDate: '2026-07-01',
    compatibilityFlags: ['nodejs_compat'],
    d1Databases: ['DB', 'EMPTY'],
  })
  database = await miniflare.getD1Database('DB')
  await database.exec(d1Migration.replaceAll('\n', ' '))
}, 120_000)
afterAll(() => miniflare?.dispose())

/** The program of the Worker, in which the laws run beside D1. */
async function worker(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'd1-worker.ts')],
    alias: { '#crypto': join(import.meta.dirname, '../../src/signature/crypto/web.ts') },
    external: ['node:*'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    conditions: ['workerd', 'worker'],
    mainFields: ['module', 'main'],
  })
  return outputFiles[0]?.text as string
}

it.each([...lawsOf({ prepare() {}, batch() {} } as never).keys()])('in a Worker: %s', async (name) => {
  const answer = await miniflare.dispatchFetch(`http://localhost/${encodeURIComponent(name)}`)
  expect(await answer.text()).toBe('holds')
})

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

  it('names the missing table', async () => {
    const store = d1Store({ database: await miniflare.getD1Database('EMPTY') })
    await expect(store.check()).rejects.toMatchObject({ code: 'store_not_migrated' })
  })

  it('is a StoreError where D1 fails', async () => {
    const empty = await miniflare.getD1Database('EMPTY')
    const claim = d1Leases({ database: empty }).claim('key', 60)
    await expect(claim).rejects.toMatchObject({ code: 'store_unavailable', message: /d1Migration/ })
  })

  it.each([[{}], [{ database: {} }], [{ database: 'DB' }], [undefined]])('rejects %j', (options) => {
    expect(() => d1Store(options as never)).toThrow(/database|options/)
  })

  it('rejects an unknown option', () => {
    expect(() => d1Store({ database, prefix: 'x' } as never)).toThrow(
      expect.objectContaining({ code: 'unknown_option' }),
    )
  })
})
