import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

export interface PostgresServer {
  readonly port: number
  /** The url for clients, `postgresql://...`. */
  readonly url: string
  /** The data directory. */
  readonly data: string
  /** Stops the server. `fast` ends every session first, `immediate` needs a recovery at the next start. */
  stop(mode: 'fast' | 'immediate'): Promise<void>
  /** Kills the server as a crash does. The data directory stays. */
  kill(): Promise<void>
  /** Starts the server again, on the same port and data. */
  start(): Promise<void>
  /** Pauses the server: connections stay open, but nothing answers. */
  pause(): void
  resume(): void
  /** Creates a database. Resolves to its url. */
  createDatabase(name: string): Promise<string>
  /** Kills the server and removes its data. */
  close(): Promise<void>
}

/**
 * Starts a real server with its own data on a free port. `config` holds settings for `postgres -c`. With `primary` it is a
 * streaming replica of that server.
 */
export async function startPostgres(
  config: Readonly<Record<string, string>> = {},
  primary?: Pick<PostgresServer, 'port'>,
): Promise<PostgresServer> {
  const bin = binaries()
  const owner = unprivileged()
  const dir = await mkdtemp(join(tmpdir(), 'webhook-inbox-postgres-'))
  folders.add(dir)
  if (owner) {
    await chown(dir, owner.uid, owner.gid)
  }
  const data = join(dir, 'data')
  const [program, ...options] = primary ? copyOf(primary.port) : newCluster
  await promisify(execFile)(join(bin, program), [...options, '-D', data], { ...owner, cwd: dir })
  const port = await freePort()
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '16MB',
    ...config,
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const deadline = performance.now() + 60_000
    for (;;) {
      const started = spawn(join(bin, 'postgres'), ['-D', data, ...args], {
        ...owner,
        cwd: dir,
        stdio: 'ignore',
      })
      server = started
      running.add(started)
      started.once('exit', () => running.delete(started))
      // After a kill, child processes may hold the shared memory for a moment, and a new server gives up.
      while (started.exitCode === null) {
        if (await answers(url)) {
          return
        }
        if (performance.now() > deadline) {
          throw new Error('postgres did not start')
        }
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      if (performance.now() > deadline) {
        throw new Error(`postgres ended with ${started.exitCode}`)
      }
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) {
      return
    }
    const exit = once(server, 'exit')
    server.kill(signal)
    await exit
  }

  await start()
  return {
    port,
    url,
    data,
    start,
    stop: (mode) => end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    kill: () => end('SIGKILL'),
    pause: () => signalFamily(server, 'SIGSTOP'),
    resume: () => signalFamily(server, 'SIGCONT'),
    async createDatabase(name) {
      await run(url, `CREATE DATABASE "${name}"`)
      return url.replace(/postgres$/, name)
    },
    async close() {
      await end('SIGQUIT')
      await rm(dir, { recursive: true, force: true, maxRetries: 10 })
      folders.delete(dir)
    },
  }
}

type Command = readonly [program: string, ...options: string[]]

const newCluster: Command = [
  'initdb',
  ...['--no-sync', '--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C'],
]

/** `-R` writes the settings with which the copy follows its primary. */
const copyOf = (port: number): Command => [
  'pg_basebackup',
  ...['--no-sync', '-R', '-X', 'stream', '-c', 'fast', '-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres'],
]

const running = new Set<ChildProcess>()
const folders = new Set<string>()
process.on('exit', () => {
  for (const server of running) {
    server.kill('SIGKILL')
  }
  for (const folder of folders) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
})

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(sql)
  } finally {
    await client.end().catch(() => {})
  }
}

export const answers = (url: string) =>
  run(url, 'SELECT 1').then(
    () => true,
    () => false,
  )

/** The server and the sessions that it has forked. */
function signalFamily(server: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (!server?.pid) {
    return
  }
  process.kill(server.pid, signal)
  const sessions = execFileSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], { encoding: 'utf8' })
  for (const pid of sessions.split('\n').filter((line) => line.trim() !== '')) {
    try {
      process.kill(Number(pid), signal)
    } catch (error) {
      // A session can end after ps has listed it.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
        throw error
      }
    }
  }
}

/** The folder of initdb and postgres: `POSTGRES_BIN`, or that of the newest version that Debian has installed. */
function binaries(): string {
  if (process.env.POSTGRES_BIN) {
    return resolve(process.env.POSTGRES_BIN)
  }
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian) : []
  const found = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(debian, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')))
  return found ?? execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim()
}

/** Postgres refuses to run as root, so root starts it as the user `postgres`. */
export function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) {
    return undefined
  }
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
