import { afterAll, beforeAll, describe } from 'vitest'
import { startPostgres } from '../../../../test/servers/postgres.js'
import { openRig, type Rig } from './rig.js'

const stores = [
  { store: 'SQLite', open: () => openRig('receiver.ts') },
  {
    store: 'Postgres',
    async open(): Promise<Rig> {
      const server = await startPostgres()
      const rig = await openRig('receiver-on-postgres.ts', { INBOX_POSTGRES: server.url })
      return {
        ...rig,
        async close() {
          await rig.close()
          await server.close()
        },
      }
    },
  },
]

/** On Postgres each command starts the real program, so this takes a minute. postgres.test.ts runs some without LONG. */
const chosen = process.env.LONG ? stores : stores.slice(0, 1)
if (!process.env.LONG) {
  console.info('Every command on Postgres: skipped, because it takes a minute. Set LONG=1.')
}

/** Runs the tests on the inbox of a new receiver, on each store. */
export function onEachStore(tests: (rig: () => Rig) => void): void {
  describe.each(chosen)('inbox on $store', ({ open }) => {
    let rig: Rig
    beforeAll(async () => {
      delete process.env.IS_WELL
      rig = await open()
    })
    afterAll(() => rig?.close())
    tests(() => rig)
  })
}
