import { type CheckedOut, checkOut } from './check-out.js'
import type { PgClient, PgPool } from './client.js'
import { type Database, NotCommitted, type Session, shortly } from './database.js'
import { endsConnection } from './fault.js'
import { Opening } from './pipelining/opening.js'

/** Transactions on clients of a pool: the client is the transaction. */
export function poolDatabase<Tx>(pool: PgPool): Database<Tx> {
  // An idle client whose server went away is dropped by the pool, which then emits `error`; unheard, that would end
  // the process.
  const ignore = () => {}
  pool.on('error', ignore)
  // Welcome and farewell of a server may come in one breath: between them the pool has handed the client out, and its
  // promise has told nobody yet.
  const guard = (client: PgClient) => client.on('error', ignore)
  pool.on('connect', guard)
  const opening = new Opening()

  async function alone<T>(run: (session: CheckedOut) => Promise<T>): Promise<T> {
    const session = await checkOut(pool, shortly)
    try {
      return await run(session)
    } catch (error) {
      // Back in the pool it would fail the next one too.
      if (endsConnection(error)) session.lose(error)
      throw error
    } finally {
      session.end()
    }
  }

  return {
    async transaction(limits, work, first) {
      const session = await checkOut(pool, limits)
      try {
        const found = await opening.open(session, limits, first)
        const value = await work(sessionOf<Tx>(session), found)
        // In a transaction that has failed, COMMIT succeeds and means ROLLBACK; only its answer tells.
        const { command } = await session.run('COMMIT')
        if (command === 'ROLLBACK') throw new NotCommitted()
        return value
      } catch (error) {
        // A statement fails before the client says that its connection is gone; what cannot be rolled back is.
        await session.run('ROLLBACK').catch((cause) => session.lose(cause))
        throw session.lost ?? error
      } finally {
        session.end()
      }
    },

    query: (text, values) => alone(async (session) => (await session.run(text, values)).rows),
    insert: (statement) => alone((session) => opening.insert(session, statement)),

    close: () => {
      pool.off('error', ignore)
      pool.off('connect', guard)
    },
  }
}

const sessionOf = <Tx>(session: CheckedOut): Session<Tx> => ({
  tx: session.client as Tx,
  query: async (text, values) => (await session.run(text, values)).rows,
  get signal() {
    return session.signal
  },
})
