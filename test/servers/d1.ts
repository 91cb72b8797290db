import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type D1Database, d1Migration } from '../../src/stores/d1.js'
import { fetchPackage } from '../setup/fetch-package.js'

/** A D1 database, with what its binding has beside the part that the store uses. */
export type Database = D1Database & { exec(sql: string): Promise<unknown> }

/** Of miniflare, the parts that these tests use. It runs workerd with its own D1. */
export interface Miniflare {
  dispatchFetch(url: string): Promise<{ readonly status: number; text(): Promise<string> }>
  getD1Database(binding: string): Promise<Database>
  dispose(): Promise<void>
}

const release = '4.20260730.0'

/** Starts a Worker of this program. Its database `DB` has the table of the store, `OTHER` another one, `EMPTY` none. */
export async function startWorker(script: string): Promise<Miniflare> {
  const modules = await fetchPackage('miniflare', release)
  const entry = createRequire(join(modules, 'index.js')).resolve('miniflare')
  const { Miniflare } = (await import(pathToFileURL(entry).href)) as {
    Miniflare: new (options: object) => Miniflare
  }
  const miniflare = new Miniflare({
    modules: true,
    script,
    compatibilityDate: '2026-07-01',
    compatibilityFlags: ['nodejs_compat'],
    d1Databases: ['DB', 'OTHER', 'EMPTY'],
  })
  await (await miniflare.getD1Database('DB')).exec(d1Migration.replaceAll('\n', ' '))
  await (await miniflare.getD1Database('OTHER')).exec('CREATE TABLE webhook_inbox_claims (id TEXT)')
  return miniflare
}
