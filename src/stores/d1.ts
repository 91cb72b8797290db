import { ConfigurationError, invalidOption } from '../errors.js'
import { givenOptions, hasMethods } from '../given-options.js'
import { type Claim, type LeaseStore, leaseStore } from '../store/lease.js'
import type { Store, StoreGuarantee } from '../store/store.js'
import type { D1Database, D1Result, D1Value } from './d1/d1-database.js'
import { d1Fault } from './d1/d1-fault.js'
import * as sql from './d1/d1-statements.js'

export type { D1Database, D1Result, D1Statement, D1Value } from './d1/d1-database.js'
export { d1Migration } from './d1/d1-statements.js'

export interface D1StoreOptions {
  /** The binding of the database, such as `env.DB`. Its tables come from {@link d1Migration}. Required. */
  readonly database: D1Database
}

/**
 * Remembers events in Cloudflare D1, for every Worker that has a binding to the database. For each event it keeps two
 * hashes, of its id and of its content. It never keeps an id, a body or a secret. Call `receiver.prune()` from a scheduled
 * handler, because a Worker has no `start()` that could do it.
 *
 * `check` rejects with `store_not_migrated` if the table is missing. Throws `ConfigurationError` (`invalid_option`,
 * `unknown_option`). Any error of D1 becomes a `StoreError` with its `cause`.
 *
 * @example
 * const store = d1Store({ database: env.DB })
 */
export function d1Store(options: D1StoreOptions): Store {
  return leaseStore(d1Leases(options))
}

/**
 * The four verbs of {@link d1Store}, to build your own store on them.
 *
 * @example
 * const leases = d1Leases({ database: env.DB })
 */
export function d1Leases(options: D1StoreOptions): LeaseStore {
  givenOptions('d1Store', options, ['database'])
  const { database } = options
  if (!hasMethods('database', database, 'prepare', 'batch')) {
    throw invalidOption('database must be the binding of a D1 database, such as env.DB')
  }
  const statement = (text: string, ...values: D1Value[]) => database.prepare(text).bind(...values)

  async function run(doing: string, text: string, ...values: D1Value[]): Promise<D1Result> {
    try {
      return await statement(text, ...values).all()
    } catch (error) {
      throw d1Fault(doing, error)
    }
  }

  const change = async (doing: string, text: string, ...values: D1Value[]) =>
    (await run(doing, text, ...values)).results.length > 0

  return {
    async claim(key, leaseSeconds): Promise<Claim> {
      const token = crypto.randomUUID()
      try {
        // One transaction. The last statement finds why the claim was not possible.
        const [, claimed, found] = (await database.batch([
          statement(sql.cutToSpan, key),
          statement(sql.claim, key, token, ms(leaseSeconds)),
          statement(sql.find, key),
        ])) as [D1Result, D1Result, D1Result]
        const [own] = claimed.results
        return own ? { state: 'claimed', token, attempt: Number(own.attempt) } : hindrance(found)
      } catch (error) {
        throw d1Fault('claim an event', error)
      }
    },

    extend: (key, token, leaseSeconds) => change('extend a claim', sql.extend, key, token, ms(leaseSeconds)),

    complete: (key, token, contentHash, retentionSeconds) =>
      change('mark an event done', sql.complete, key, token, contentHash, ms(retentionSeconds)),

    release: (key, token) => change('release a claim', sql.release, key, token),

    async check() {
      try {
        await statement(sql.find, '').all()
      } catch (error) {
        const fault = d1Fault('answer', error)
        throw fault.reason === 'not_migrated'
          ? new ConfigurationError('store_not_migrated', notMigrated, { cause: error })
          : fault
      }
      return guarantee
    },

    async prune(doneBefore, limit) {
      return (await run('prune', sql.prune, doneBefore.getTime(), limit)).results.length
    },

    async close() {},
  }
}

/** A key that cannot be claimed has a row: no other statement runs between the two. */
function hindrance(found: D1Result): Claim {
  const { content_hash, remaining } = found.results[0] as Record<string, unknown>
  if (typeof content_hash === 'string') {
    return { state: 'done', contentHash: content_hash }
  }
  return { state: 'leased', remainingSeconds: Math.max(0, Number(remaining)) / 1000 }
}

const notMigrated = 'the database has no table; run the SQL of d1Migration'

/** Longer than any lease or retention. JavaScript can represent it exactly. */
const longestMs = 2 ** 48

const ms = (seconds: number) => Math.min(Math.ceil(seconds * 1000), longestMs)

const guarantee: StoreGuarantee = {
  store: 'Cloudflare D1',
  scope: 'every Worker with a binding to this database',
  processCrash: 'yes',
  hostCrash: 'yes, as far as D1 keeps what it has confirmed',
  runs: 'once, unless its Worker ends, or outlives its lease, between the effect and the mark',
}
