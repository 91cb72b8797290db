import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killWithUs } from './kill-with-us.js'

export interface RedisServer {
  readonly port: number
  /** Kills the process as a crash does; the data directory stays. */
  kill(): Promise<void>
  /** Starts it again on the same port and data. */
  restart(): Promise<void>
  /** Stops it in its tracks: connections stay open, and nothing answers. */
  pause(): void
  resume(): void
  /** Kills it and removes its data. */
  close(): Promise<void>
}

/** Starts a real redis-server on a free port. `config` is what its command line takes, such as `{ appendonly: 'yes' }`. */
export async function startRedis(config: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
  // A port that was free may be taken when the server asks for it: other tests look for one at the same time.
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn(await freePort(), config)
    } catch (error) {
      if (attempt === 5) {
        throw error
      }
    }
  }
}

async function startOn(port: number, config: Readonly<Record<string, string>>): Promise<RedisServer> {
  const dir = await mkdtemp(join(tmpdir(), 'webhook-inbox-redis-'))
  // Left to itself a node of a Cluster also listens on its port plus 10 000, which may be beyond the last port.
  const bus = config['cluster-enabled'] === 'yes' ? { 'cluster-port': String(await freePort()) } : {}
  const settings = { port: String(port), dir, bind: '127.0.0.1', save: '', ...bus, ...config }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const started = spawn('redis-server', args, { stdio: 'ignore' })
    server = started
    killWithUs(started)
    const exited = once(started, 'exit').then(() => {
      throw new Error('redis-server ended before it was ready')
    })
    await Promise.race([untilReady(port), exited])
    exited.catch(() => {})
  }

  async function kill(): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) {
      return
    }
    const exit = once(server, 'exit')
    server.kill('SIGKILL')
    await exit
  }

  try {
    await start()
  } catch (error) {
    await kill()
    await rm(dir, { recursive: true, force: true })
    throw error
  }
  return {
    port,
    kill,
    restart: async () => {
      await kill()
      await start()
    },
    pause: () => server?.kill('SIGSTOP'),
    resume: () => server?.kill('SIGCONT'),
    close: async () => {
      await kill()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Sends a command in the inline form that a person at a terminal would type. */
export async function command(port: number, line: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    socket.write(`${line}\r\n`)
    const [data] = (await once(socket, 'data')) as [Buffer]
    return data.toString().trim()
  } finally {
    socket.destroy()
  }
}

async function untilReady(port: number): Promise<void> {
  for (let i = 0; ; i++) {
    const answer = await command(port, 'PING').catch((error: Error) => error.message)
    // A server that asks for a password is up too.
    if (answer === '+PONG' || answer.startsWith('-NOAUTH')) {
      return
    }
    if (i > 400) {
      throw new Error(`redis-server did not come up: ${answer}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
