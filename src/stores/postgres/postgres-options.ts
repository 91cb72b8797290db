import { invalidOption } from '../../errors.js'
import { givenOptions, hasMethods } from '../../given-options.js'
import { defaultMaxQuarantined } from '../../store/quarantined-delivery.js'
import type { TransactionPort } from './connection/joined.js'
import { checkNoClient, type PgPool } from './connection/pg-client.js'
import { defaultSchema, quoteSchema } from './migrations/postgres-migrations.js'

interface Common {
  /** The Postgres schema that the tables live in. Default `'webhook_inbox'`. */
  readonly schema?: string | undefined
  /**
   * Starts on a server that runs without fsync, or on tables that a crash empties. The guarantee then says so. Default
   * false.
   */
  readonly allowVolatile?: boolean | undefined
  /** How many deliveries the quarantine keeps for each endpoint; more are not quarantined. Default 10 000. */
  readonly maxQuarantined?: number | undefined
}

/** The store opens transactions on a pool of node-postgres, and the handler’s `tx` is the client. */
export interface PostgresPoolOptions<Pool extends PgPool = PgPool> extends Common {
  /** A `Pool` of `pg`, 8 or later. You end it yourself. A running handler holds one of its clients. */
  readonly pool: Pool
  /**
   * Sends the first statements of a transaction in one round trip, and keeps plans on the connection for a moment. This uses
   * internals of node-postgres. `false` sends each statement on its own. Default true.
   */
  readonly pipelining?: boolean | undefined
}

/** The store uses transactions of your query builder, and the handler’s `tx` is such a transaction. */
export interface PostgresJoinOptions<Tx> extends Common, TransactionPort<Tx> {}

export interface PostgresSettings {
  readonly pool?: PgPool
  readonly transaction?: TransactionPort<unknown>['transaction']
  readonly query?: TransactionPort<unknown>['query']
  /** Quoted. */
  readonly schema: string
  readonly allowVolatile: boolean
  readonly maxQuarantined: number
  readonly pipelining: boolean
}

const known = ['pool', 'transaction', 'query', 'schema', 'allowVolatile', 'maxQuarantined', 'pipelining']

/** Throws `ConfigurationError` (`invalid_option`, `unknown_option`). */
export function resolvePostgresOptions(options: object): PostgresSettings {
  const given: Partial<PostgresSettings> = givenOptions('postgresStore', options, known)
  const {
    pool,
    transaction,
    query,
    schema = defaultSchema,
    allowVolatile = false,
    maxQuarantined = defaultMaxQuarantined,
  } = given
  if (typeof allowVolatile !== 'boolean') {
    throw invalidOption('allowVolatile must be a boolean')
  }
  const { pipelining = true } = given
  if (typeof pipelining !== 'boolean') {
    throw invalidOption('pipelining must be a boolean')
  }
  if (!Number.isSafeInteger(maxQuarantined) || maxQuarantined < 1) {
    throw invalidOption('maxQuarantined must be a positive whole number')
  }
  checkNoClient(pool)
  const isJoined = typeof transaction === 'function' && typeof query === 'function'
  const isPool = hasMethods('pool', pool, 'connect', 'on')
  if (isJoined === isPool || (isPool && (transaction || query))) {
    throw invalidOption(
      'give either pool, as in postgresStore({ pool: new Pool() }), or transaction and query',
    )
  }
  return { ...given, schema: quoteSchema(schema), allowVolatile, maxQuarantined, pipelining }
}
