/** The store uses the transactions of TypeORM, so the writes of a handler and the done mark commit together. */
import { DataSource, type EntityManager, EntitySchema } from 'typeorm'
import { postgresStore } from 'webhook-inbox/stores/postgres'

/** The same as a class with `@Entity()`, without decorators. */
export const transfers = new EntitySchema<{ id: string; status: string }>({
  name: 'Transfer',
  tableName: 'transfers',
  columns: { id: { type: 'text', primary: true }, status: { type: 'text' } },
})

export const connect = (url: string) =>
  new DataSource({ type: 'postgres', url, entities: [transfers], poolSize: 13 }).initialize()

export const typeormStore = (db: DataSource) =>
  postgresStore<EntityManager>({
    transaction: (work) => db.transaction(work),
    query: async ({ queryRunner }, text, values) => {
      if (!queryRunner) {
        throw new Error('the manager has no transaction')
      }
      // `true` asks for the rows under one name, whichever statement it was.
      return (await queryRunner.query(text, [...values], true)).records
    },
  })
