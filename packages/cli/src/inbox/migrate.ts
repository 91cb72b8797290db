import { defineCommand } from '../command.js'
import { exit, UsageError } from '../exit.js'
import { type ReceiverModule, receiverOptions, withReceiver } from './open-receiver.js'

export const migrate = defineCommand({
  about:
    'Upgrades the tables of a Postgres store: calls the function `migrate` that your module exports. With --print-sql it only prints the SQL. A SQLite store upgrades its tables when it opens the file.',
  options: {
    'print-sql': { type: 'boolean', help: 'Only print the SQL, for your own migration tool' },
    schema: {
      type: 'string',
      value: 'NAME',
      help: 'The Postgres schema, for --print-sql. Default: that of the store',
    },
    ...receiverOptions,
  },
  examples: [
    [
      '--receiver src/receiver.ts',
      'Calls what it exports as: export const migrate = () => migratePostgres(pool)',
    ],
    ['--print-sql', 'Prints the SQL.'],
  ],

  async run({ values, json, print, world }) {
    if (values['print-sql']) {
      const { postgresMigrations } = await import('webhook-inbox/stores/postgres')
      for (const { version, sql } of postgresMigrations(values.schema)) {
        print.line(`-- version ${version}\n${sql}`)
      }
      return exit.good
    }
    const upgrade = async ({ receiver, migrate: run }: ReceiverModule) => {
      if (!run) {
        throw new UsageError(
          'the module exports no migrate, which a Postgres store needs: export const migrate = () => migratePostgres(pool)',
        )
      }
      const before = await receiver.health().catch((error: unknown) => error)
      await run()
      return isMissing(before) ? 'created' : 'up to date'
    }
    const done = await withReceiver({ values, print, world }, upgrade, 'migrate')
    if (json) {
      print.json({ isMigrated: true })
    } else {
      print.line(done === 'created' ? 'The tables were created.' : 'The tables are up to date.')
    }
    return exit.good
  },
})

/** Whether Postgres said that there is no table. */
const isMissing = (error: unknown) => (error as { cause?: { code?: unknown } }).cause?.code === '42P01'
