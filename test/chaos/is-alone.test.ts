import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { isAlone } from './process/is-alone.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.close())

const clients: pg.Client[] = []
afterEach(() => Promise.all(clients.splice(0).map((client) => client.end())))

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  clients.push(client)
  return client
}

async function begin(): Promise<pg.Client> {
  const client = await connect()
  await client.query('BEGIN')
  return client
}

it('a transaction is not alone until the one before it ends, even if that has not written', async () => {
  const [first, second] = [await begin(), await begin()]
  expect([await isAlone(first, 'evt_1'), await isAlone(second, 'evt_1')]).toEqual([true, false])
  expect(await isAlone(second, 'evt_2')).toBe(true)
  await first.query('COMMIT')
  expect(await isAlone(second, 'evt_1')).toBe(true)
})

it('a transaction that has found another one finds a later one too', async () => {
  const [first, second, later] = [await begin(), await begin(), await begin()]
  await isAlone(first, 'evt_1')
  expect(await isAlone(second, 'evt_1')).toBe(false)
  expect([await isAlone(later, 'evt_2'), await isAlone(second, 'evt_2')]).toEqual([true, false])
})

it('a transaction that finds one that has ended is found itself', async () => {
  const [ended, second, third] = [await connect(), await begin(), await begin()]
  // A lock without a transaction id, as a transaction has it while it ends.
  const lock = 'hashtextextended($1, 7)'
  await ended.query(`SELECT pg_advisory_lock(${lock})`, ['evt_1'])
  const entered = isAlone(second, 'evt_1')
  await ended.query(`SELECT pg_advisory_unlock(${lock})`, ['evt_1'])
  expect([await entered, await isAlone(third, 'evt_1')]).toEqual([true, false])
})
