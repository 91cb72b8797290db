import { checkPrune } from '../store/check-values.js'
import { checkedInbox } from '../store/checked-inbox.js'
import { checkEventRef } from '../store/event-ref.js'
import { SingleFlight } from '../store/single-flight.js'
import type { Store } from '../store/store.js'
import { joinedDatabase, type TransactionPort } from './postgres/connection/joined.js'
import type { ClientOf, PgPool } from './postgres/connection/pg-client.js'
import { poolDatabase, sizeOf } from './postgres/connection/pool.js'
import type { Database } from './postgres/connection/transactions.js'
import { statements } from './postgres/events/statements.js'
import { runOnce } from './postgres/events/transactional-once.js'
import { checkPostgres } from './postgres/migrations/check-postgres.js'
import { postgresPrune } from './postgres/operate/postgres-prune.js'
import { postgresInbox } from './postgres/postgres-inbox.js'
import {
  type PostgresJoinOptions,
  type PostgresPoolOptions,
  type PostgresSettings,
  resolvePostgresOptions,
} from './postgres/postgres-options.js'

export type { TransactionPort } from './postgres/connection/joined.js'
export type { ClientOf, PgClient, PgPool } from './postgres/connection/pg-client.js'
export type { Row } from './postgres/connection/transactions.js'
export type { Blocker } from './postgres/migrations/lock-limits.js'
export {
  type MigrateOptions,
  type Migration,
  migratePostgres,
  postgresMigrations,
} from './postgres/migrations/postgres-migrations.js'
export type { PostgresJoinOptions, PostgresPoolOptions } from './postgres/postgres-options.js'

/** A store that keeps the events themselves, in Postgres. */
export type PostgresStore<Tx> = Store<Tx> & { readonly inbox: NonNullable<Store<Tx>['inbox']> }

/**
 * Keeps events in Postgres 13 or later, for every process on its database. Writes of a handler through `tx` commit
 * together with the done mark, or not at all. Let handlers write through `tx`, not through the pool.
 *
 * Create the tables first: `await migratePostgres(pool)`.
 *
 * A claim is a lock on the row of the event and ends with its transaction. If the process dies, the claim ends
 * immediately. If the host dies, the claim ends after `leaseSeconds`, or after `handlerTimeoutSeconds` if that is
 * longer.
 *
 * A running handler uses one client of the pool. Give the pool three clients more than handlers run concurrently, or
 * deliveries wait for a handler to end. Behind PgBouncer in transaction mode, a running handler also uses a connection
 * of PgBouncer. So PgBouncer needs as many connections as all pools together have clients.
 *
 * Drizzle, Knex, Kysely, postgres.js, Prisma and TypeORM pass their own transactions instead of a pool. Then `tx` is one of
 * those. See docs/orms.md for each:
 *
 *     postgresStore<Transaction<Tables>>({
 *       transaction: (work) => db.transaction().execute(work),
 *       query: async (trx, text, values) => (await trx.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows,
 *     })
 *
 * `check` rejects missing tables (`store_not_migrated`), a server without fsync (`store_volatile`, unless
 * `allowVolatile` is set), a standby and an unknown kind of server (`store_unsupported`). Throws `ConfigurationError`
 * (`invalid_option`, `unknown_option`). Every other error of Postgres is a `StoreError` with its `cause`.
 *
 * @example
 * const receiver = createReceiver({
 *   secret,
 *   store: postgresStore({ pool }),
 *   handlers: {
 *     async 'transfer.settled'({ data }, { tx }) {
 *       await tx.query('UPDATE transfers SET status = $1 WHERE id = $2', ['settled', data.transferId])
 *     },
 *   },
 * })
 */
export function postgresStore<Tx>(options: PostgresJoinOptions<Tx>): PostgresStore<Tx>
// The last one, because the compiler explains an error with the last.
export function postgresStore<Pool extends PgPool>(
  options: PostgresPoolOptions<Pool>,
): PostgresStore<ClientOf<Pool>>
export function postgresStore(options: object): PostgresStore<unknown> {
  const settings = resolvePostgresOptions(options)
  const database = open(settings)
  const sql = statements(settings.schema)
  const flights = new SingleFlight()
  const prune = postgresPrune(database.query, sql)
  const connections = settings.pool && sizeOf(settings.pool)

  return {
    async once(event, work) {
      checkEventRef(event)
      // Without this, many deliveries of one event would each hold a client of the pool while they wait for one lock.
      const { leaseSeconds, workSeconds } = event.durations
      return flights.join(event, Math.max(leaseSeconds, workSeconds), () =>
        runOnce(database, sql, event, work),
      )
    },

    check: () => checkPostgres(database.query, settings),

    async prune(doneBefore, limit) {
      checkPrune(doneBefore, limit)
      return prune(doneBefore, limit)
    },

    async close() {
      database.close()
    },

    ...(connections !== undefined && { connections }),
    inbox: checkedInbox(postgresInbox(database, sql, settings)),
  }
}

function open({ pool, transaction, query, pipelining }: PostgresSettings): Database<unknown> {
  return pool
    ? poolDatabase(pool, { pipelining })
    : joinedDatabase({ transaction, query } as TransactionPort<unknown>)
}
