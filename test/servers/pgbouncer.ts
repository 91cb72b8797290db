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
  /** For clients: `postgresql://...`, to the same database as that of the server behind it. */
  readonly url: string
  /** Kills it as a crash does, and with it every connection to and from it. */
  kill(): Promise<void>
  /** Starts it on the same port. */
  start(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts a real PgBouncer in transaction mode before a server, on a free port: three connections for all its clients, each
 * lent for one transaction, and no care for prepared statements. `config` is what its file takes.
 */
export async function startPgBouncer(
  server: Pick<PostgresServer, 'port' | 'url'>,
  config: Readonly<Record<string, string>> = {},
): Promise<PgBouncer> {
  // A port that was free may be taken when it asks for it: other tests look for one at the same time.
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

/** Debian keeps it where only root looks for programs. */
const binary = () => (existsSync('/usr/sbin/pgbouncer') ? '/usr/sbin/pgbouncer' : 'pgbouncer')

/** From 1.21 on it has the setting, which an older one refuses to start with; from 1.24 on it does so by itself. */
async function knowsStatements(): Promise<boolean> {
  const { stdout } = await promisify(execFile)(binary(), ['--version'])
  const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout) ?? []
  return Number(major) > 1 || Number(minor) >= 21
}
