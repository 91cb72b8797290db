import { afterAll, beforeAll } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../test/servers/postgres.js'
import { type MakeStore, postgres, sqlite } from './rig.js'

/** Each store of an inbox, by its name, with one Postgres server for the tests of a file. Call it once at the top. */
export function eachStore(): readonly (readonly [name: string, makeStore: MakeStore])[] {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.close())
  return [
    ['SQLite', sqlite],
    ['Postgres', postgres(() => server.url)],
  ]
}
