import { invalidOption } from '../../../errors.js'
import { hasMethods } from '../../../given-options.js'

// biome-ignore lint/suspicious/noExplicitAny: rows and values are typed by the statement, not by the driver.
type Loose = any

/** A custom query object. */
interface Submittable {
  submit(connection: Loose): void
}

/** The part of a client of node-postgres that the store uses. */
export interface PgClient {
  query(submittable: Submittable): unknown
  query(text: string, values?: Loose[]): Promise<{ readonly rows: Loose[]; readonly command?: string }>
  release(error?: Error | boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

/** The part of a `Pool` of node-postgres that the store uses. */
export interface PgPool {
  connect(): Promise<PgClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect', listener: (client: PgClient) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'connect', listener: (client: PgClient) => void): unknown
}

/** The client that a pool hands out: for `pg`, its `PoolClient`. */
export type ClientOf<Pool> = Pool extends {
  connect: { (): Promise<infer Client>; (callback: never): unknown }
}
  ? Client
  : Pool extends { connect(): Promise<infer Client> }
    ? Client
    : never

/** Rejects a `Client`, which has the methods that the store uses of a `Pool`, but connects only once. Only it can escape. */
export function checkNoClient(pool: unknown): void {
  if (hasMethods('pool', pool, 'escapeLiteral')) {
    throw invalidOption('pool is a Client of pg: give a Pool, as in new Pool({ connectionString })')
  }
}
