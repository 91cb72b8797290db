import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { root } from './built.js'
import { expectCleanEnd, expectVerdicts, startExample } from './deliveries.js'
import { copyExample, installBeside, run } from './install-example.js'
import { expectOneTransaction } from './one-transaction.js'

/** Too large for the lockfile, so these are installed into an empty folder, each in one exact release. */
const libraries = [
  { library: 'typeorm', packages: ['typeorm@1.1.1'] },
  { library: 'prisma', packages: ['prisma@7.10.1', '@prisma/client@7.10.0', '@prisma/adapter-pg@7.10.1'] },
]
const common = ['pg@8.23.0', 'tsx@4.23.15', '@types/node@20.19.43', '@types/pg@8.23.1']
const compilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: 'es2022',
  module: 'nodenext',
  types: ['node'],
}
const why = process.env.LONG ? '' : ' (skipped: it installs up to 300 MB; runs with LONG=1)'

describe.skipIf(why).each(libraries)(`examples/$library-transaction${why}`, ({ library, packages }) => {
  let server: PostgresServer
  let folder: string
  const example = `examples/${library}-transaction`

  beforeAll(async () => {
    server = await startPostgres()
    folder = await installBeside([...common, ...packages])
    await copyExample(`${library}-transaction`, folder)
    if (library === 'prisma') {
      // Generating a client needs no engine. Without the variable Prisma downloads the one for migrations.
      const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' }
      const args = ['prisma', 'generate', '--schema', `${example}/schema.prisma`]
      await run('npx', args, { cwd: folder, env })
    }
  }, 600_000)
  afterAll(() => server?.close())

  it('compiles', async () => {
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: [example] }))
    await run(process.execPath, [join(root, 'node_modules/.bin/tsc'), '-p', 'tsconfig.json'], { cwd: folder })
  })

  it('commits what a handler writes together with the mark, or neither', async () => {
    const env = { DATABASE_URL: await server.createDatabase(library) }
    const { program, origin } = await startExample(`${library}-transaction/server.ts`, env, folder)
    await expectVerdicts(`${origin}/webhooks`, program)
    await expectOneTransaction(`${origin}/webhooks`, env.DATABASE_URL)
    await expectCleanEnd(program)
  })

  it('holds the laws of a store and an inbox', async () => {
    const url = await server.createDatabase(`${library}_laws`)
    await copyFile(join(root, 'test/examples/joined-laws.mjs'), join(folder, 'joined-laws.mjs'))
    const { stdout } = await run(process.execPath, ['--import', 'tsx', 'joined-laws.mjs', library, url], {
      cwd: folder,
    })
    expect(stdout).toMatch(/^(\d{3}) of \1 laws hold, 3 exempt\n$/)
  })
})
