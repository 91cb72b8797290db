/** Run this once per deployment, before the new processes start. */
import { migratePostgres } from 'webhook-inbox/stores/postgres'
import { close, pool } from './receiver.js'

await migratePostgres(pool)
await pool.query(`CREATE TABLE IF NOT EXISTS credits (transfer text NOT NULL, worker int NOT NULL)`)
await close()
console.log('migrated')
