import type { Receiver } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit, UsageError } from '../exit.js'
import { type Purpose, type ReceiverModule, receiverOptions, withReceiver } from './open-receiver.js'

export const migrate = defineCommand({
  about:
    'Upgrades the tables of a Postgres store: calls the function `migrate` that your module exports. With --print-sql it only prints the SQL, and does not load the module. A SQLite store upgrades its tables when it opens the file.',
  options: {
    'print-sql': { type: 'boolean', help: 'Only print the SQL, for your own migration tool' },
    schema: {
      type: 'string',
      value: 'NAME',
      help: 'The Postgres schema, for --print-sql. Default: webhook_inbox',
    },
    ...receiverOptions,
  },
  examples: [
    [
      '--receiver src/receiver.ts',
      'Calls what it exports as: export const migrate = () => migratePostgres(pool)',
    ],
    ['--print-sql', 'Prints the SQL.'],
    ['--print-sql --schema hooks', "Prints the SQL for postgresStore({ pool, schema: 'hooks' })."],
  ],

  async run({ values, json, print, world }) {
    if (values['print-sql']) {
      if (values.receiver !== undefined && values.schema === undefined) {
        throw new UsageError(
          '--print-sql does not load the module: name the schema of the store with --schema',
        )
      }
      const { postgresMigrations } = await import('webhook-inbox/stores/postgres')
      for (const { version, sql } of postgresMigrations(values.schema)) {
        print.line(`-- version ${version}\n${sql}`)
      }
      return exit.good
    }
    if (values.schema !== undefined) {
      throw new UsageError('--schema is for --print-sql: otherwise `migrate` of the module names the schema')
    }
    const upgrade = async ({ receiver, migrate: run }: ReceiverModule) => {
      if (!run && (await isSqlite(receiver))) {
        return 'upgrades itself'
      }
      if (!run) {
        throw new UsageError(
          'the module exports no migrate, which a Postgres store needs: export const migrate = () => migratePostgres(pool), with { schema } if the store has one',
        )
      }
      const before = await receiver.health().catch((error: unknown) => error)
      await run()
      if (isMissing(await receiver.health().catch((error: unknown) => error))) {
        throw new UsageError(
          '`migrate` has run, but the store still has no tables: give migratePostgres the schema of the store',
        )
      }
      return isMissing(before) ? 'created' : 'up to date'
    }
    const done = await withReceiver({ values, print, world }, upgrade, 'migrate')
    if (json) {
      print.json({ isMigrated: true })
    } else {
      print.line(results[done])
    }
    return exit.good
  },
})

const results = {
  created: 'The tables were created.',
  'up to date': 'The tables are up to date.',
  'upgrades itself': 'SQLite upgrades itself; nothing to do.',
} as const

/** Whether the check of the store has found SQLite, whose tables it has then upgraded. */
async function isSqlite(receiver: Receiver): Promise<boolean> {
  // For a migration, `start()` does not check the store.
  process.env.WEBHOOK_INBOX_CLI = '1' satisfies Purpose
  await receiver.start({ consume: false, announce: false }).catch(() => {})
  return /\bsqlite \d/.test(receiver.describe())
}

/** Whether Postgres said that there is no table. */
const isMissing = (error: unknown) => (error as { cause?: { code?: unknown } }).cause?.code === '42P01'
