import { expectTypeOf } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { type SqliteDatabase, type SqliteTx, sqliteStore } from '../../src/stores/sqlite.js'

interface MyDatabase extends SqliteDatabase {
  pragma(text: string): unknown
}
declare const mine: MyDatabase

// The store determines the type of the transaction, not the queue.
createReceiver({
  secret: 's',
  store: sqliteStore(mine),
  queue: localQueue(),
  handlers: {
    'transfer.settled': ({ data }, { tx }) => {
      expectTypeOf(tx).toEqualTypeOf<SqliteTx<MyDatabase>>()
      tx.write((database) => void database.pragma(data.transferId))
      tx.write((database) => database.prepare('DELETE FROM mine').run())
      tx.write((database) => {
        database.exec('DELETE FROM mine')
      })
      // @ts-expect-error a promise would settle after the commit
      tx.write(async (database) => void database.exec('DELETE FROM mine'))
    },
  },
  fallback: (_event, { tx }) => expectTypeOf(tx).toEqualTypeOf<SqliteTx<MyDatabase>>(),
})

createReceiver({
  secret: 's',
  store: sqliteStore('inbox.db'),
  fallback: (_event, { tx }) => expectTypeOf(tx).toEqualTypeOf<SqliteTx<SqliteDatabase>>(),
})

export const database = expectTypeOf<typeof sqliteStore<MyDatabase>>()
  .parameter(0)
  .toEqualTypeOf<string | MyDatabase>()
