import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killWithUs } from './kill-with-us.js'

export interface RedisServer {
  readonly port: number
  /** Kills the process as a crash does. The data directory stays. */
  kill(): Promise<void>
  /** Starts the server again, on the same port and data. */
  restart(): Promise<void>
  /** Pauses the server: connections stay open, but nothing answers. */
  pause(): void
  resume(): void
  /** Kills the server and removes its data. */
  close(): Promise<void>
}

/** Starts a real redis-server, or the program that `REDIS_SERVER` names, on a free port. `config` holds options of its command line, e.g. `{ appendonly: 'yes' }`. */
export async function startRedis(config: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
  // Other tests look for a free port at the same time, so the port may be taken by now.
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
  // By default a Cluster node also listens on its port plus 10,000, which may exceed the largest port.
  const bus = config['cluster-enabled'] === 'yes' ? { 'cluster-port': String(await freePort()) } : {}
  const settings = { port: String(port), dir, bind: '127.0.0.1', save: '', ...bus, ...config }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const started = spawn(process.env.REDIS_SERVER ?? 'redis-server', args, { stdio: 'ignore' })
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

/** Sends a command in the inline form of the protocol. */
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
    // A server that requires a password is up as well.
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
