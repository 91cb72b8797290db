import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { killWithUs } from './kill-with-us.js'
import { answers, freePort, type PostgresServer, unprivileged } from './postgres.js'

export interface PgBouncer {
  /** The url for clients, `postgresql://...`, of the same database as on the server behind it. */
  readonly url: string
  /** Kills the process as a crash does, with all its connections. */
  kill(): Promise<void>
  /** Starts it on the same port. */
  start(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts a real PgBouncer in transaction mode before a server, on a free port. All clients share three connections, each
 * for one transaction at a time, without support for prepared statements. `config` holds settings of its file.
 */
export async function startPgBouncer(
  server: Pick<PostgresServer, 'port' | 'url'>,
  config: Readonly<Record<string, string>> = {},
): Promise<PgBouncer> {
  // Other tests look for a free port at the same time, so the port may be taken by now.
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn(await freePort(), server, config)
    } catch (error) {
      if (attempt === 5) {
        throw error
      }
    }
  }
}

async function startOn(
  port: number,
  server: Pick<PostgresServer, 'port' | 'url'>,
  config: Readonly<Record<string, string>>,
): Promise<PgBouncer> {
  const owner = unprivileged()
  const dir = await mkdtemp(join(tmpdir(), 'webhook-inbox-pgbouncer-'))
  const file = join(dir, 'pgbouncer.ini')
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: '3',
    max_client_conn: '500',
    ...((await knowsStatements()) && { max_prepared_statements: '0' }),
    ...config,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const target = `* = host=127.0.0.1 port=${server.port} user=postgres`
  await writeFile(file, ['[databases]', target, '[pgbouncer]', ...lines, ''].join('\n'))
  if (owner) {
    for (const path of [dir, file]) {
      await chown(path, owner.uid, owner.gid)
    }
  }
  const url = server.url.replace(`:${server.port}`, `:${port}`)
  let bouncer: ChildProcess | undefined

  async function start(): Promise<void> {
    const deadline = performance.now() + 30_000
    const started = spawn(binary(), [file], { ...owner, cwd: dir, stdio: 'ignore' })
    bouncer = started
    killWithUs(started)
    while (!(await answers(url))) {
      if (started.exitCode !== null) {
        throw new Error(`pgbouncer ended with ${started.exitCode}`)
      }
      if (performance.now() > deadline) {
        throw new Error('pgbouncer did not start')
      }
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }

  async function kill(): Promise<void> {
    if (!bouncer || bouncer.exitCode !== null || bouncer.signalCode !== null) {
      return
    }
    const exit = once(bouncer, 'exit')
    bouncer.kill('SIGKILL')
    await exit
  }

  async function close(): Promise<void> {
    await kill()
    await rm(dir, { recursive: true, force: true })
  }

  try {
    await start()
  } catch (error) {
    await close()
    throw error
  }
  return { url, kill, start, close }
}

/** `PGBOUNCER`, or what Debian installs in a folder that is only on root's PATH. */
const binary = () =>
  process.env.PGBOUNCER ?? (existsSync('/usr/sbin/pgbouncer') ? '/usr/sbin/pgbouncer' : 'pgbouncer')

/** The setting exists from 1.21 on, and an older version refuses to start with it. From 1.24 on it is the default. */
async function knowsStatements(): Promise<boolean> {
  const { stdout } = await promisify(execFile)(binary(), ['--version'])
  const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout) ?? []
  return Number(major) > 1 || Number(minor) >= 21
}
