import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { type SqliteDatabase, sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { fixture } from '../../src/testing/fixture.js'
import { drivers } from './sqlite-files.js'

/**
 * A receiver in its own process. It gets ids, delivers their events to itself and answers with the statuses. It kills
 * itself when it reaches the named step, because no other process could hit the step exactly.
 */
const [path, mode, fatal] = process.argv.slice(2) as [string, 'inline' | 'queued', string]

function reach(step: string): void {
  if (step === fatal) {
    process.kill(process.pid, 'SIGKILL')
  }
}

const open = (drivers.at(-1) as (typeof drivers)[number])[1]
const database = open(path)
// Two processes may create this table concurrently.
database.exec('PRAGMA busy_timeout = 5000; CREATE TABLE IF NOT EXISTS effects (event TEXT NOT NULL)')

let begins = 0
/** The commits of the store by number. The process can die before or after each. */
const stepping: SqliteDatabase = {
  exec: (sql) => database.exec(sql),
  close: () => database.close(),
  prepare(sql) {
    const statement = database.prepare(sql)
    return {
      all: (...values) => statement.all(...values),
      run(...values) {
        if (sql === 'BEGIN IMMEDIATE') {
          reach(`before transaction ${++begins}`)
        }
        if (sql === 'COMMIT') {
          reach(`before commit ${begins}`)
        }
        const result = statement.run(...values)
        if (sql === 'COMMIT') {
          reach(`after commit ${begins}`)
        }
        return result
      },
    }
  },
}

const receiver = createReceiver({
  secret: testSecret,
  store: sqliteStore(stepping),
  ...(mode === 'queued' && { queue: localQueue({ pollSeconds: 0.1 }) }),
  leaseSeconds: 1,
  handlerTimeoutSeconds: 10,
  logger: false,
  async fallback({ id }, { tx }) {
    reach('in the handler')
    tx.write((db) => {
      db.prepare('INSERT INTO effects VALUES (?)').run(id)
      reach('after its write')
    })
    await new Promise(setImmediate)
    reach('at the end of the handler')
  },
})
await receiver.start()

process.on('message', async (id: string) => {
  const { body, headers } = await fixture('transfer.settled', { id })
  const { status } = await receiver.receive({ headers, body })
  reach('before the answer')
  process.send?.({ id, status })
})
process.send?.('ready')
