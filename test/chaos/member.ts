import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { limitMemory } from './memory-group.js'
import type { Order, ProcessSettings } from './modes.js'

/** One process of the fleet. It restarts whenever it ends, as under a supervisor. */
export class Member {
  readonly role: ProcessSettings['role']
  /** The output of all its runs, stdout and stderr. */
  log = ''
  /** Number of unexpected ends. */
  deaths = 0
  /** Exit codes of ends that no nemesis caused. */
  readonly crashes: string[] = []
  /** The port for deliveries. 0 while the process is down or if it takes none. */
  port = 0
  /** Whether it is ready for deliveries or jobs, and for orders. */
  isUp = false
  readonly #program: string
  readonly #settings: ProcessSettings
  #child: ChildProcess | undefined
  /** The next process. It has loaded its modules, which takes longest, and waits until it may begin. */
  #standby: ChildProcess | undefined
  #isClosing = false

  constructor(program: string, settings: ProcessSettings) {
    this.#program = program
    this.#settings = settings
    this.role = settings.role
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Resolves when it is ready for deliveries or jobs. */
  start(): Promise<void> {
    const up = new Promise<void>((resolve, reject) => {
      const child = this.#standby ?? this.#fork()
      this.#standby = undefined
      this.#child = child
      child.send({ begin: true } satisfies Order, () => {})
      child.once('message', ({ port }: { port: number }) => {
        this.port = port
        this.isUp = true
        if (!this.#isClosing) {
          this.#standby = this.#fork()
        }
        resolve()
      })
      child.once('exit', (code, signal) => {
        this.port = 0
        this.isUp = false
        reject(new Error(`ended with ${code ?? signal} while it started: ${this.log.slice(-2000)}`))
        if (this.#isClosing || this.#child !== child) {
          return
        }
        this.deaths++
        if (signal !== 'SIGKILL') {
          this.crashes.push(`${code ?? signal}: ${this.log.slice(-1500)}`)
        }
        this.start().catch(() => {})
      })
    })
    up.catch(() => {})
    return up
  }

  #fork(): ChildProcess {
    const { environment, flags = [], memoryBytes } = this.#settings
    const child = fork(this.#program, [JSON.stringify(this.#settings)], {
      silent: true,
      env: { ...process.env, ...environment },
      execArgv: [...flags],
    })
    running.add(child)
    if (memoryBytes !== undefined && child.pid !== undefined) {
      child.once('close', limitMemory(child.pid, memoryBytes))
    }
    const note = (chunk: Buffer) => {
      this.log += chunk
    }
    child.stdout?.on('data', note)
    child.stderr?.on('data', note)
    child.on('error', () => {})
    child.once('exit', () => running.delete(child))
    return child
  }

  tell(order: Order): void {
    if (this.#child?.connected) {
      this.#child.send(order, () => {})
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  /** Ends the process as a deploy does. It does not restart. */
  async stop(seconds = 10): Promise<void> {
    this.#isClosing = true
    this.#standby?.kill('SIGKILL')
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) {
      return
    }
    const gone = once(child, 'exit')
    child.kill('SIGCONT')
    this.tell({ stop: true })
    const timer = setTimeout(() => child.kill('SIGKILL'), seconds * 1000)
    await gone
    clearTimeout(timer)
  }

  async kill(): Promise<void> {
    await this.stop(0)
  }
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) {
    child.kill('SIGKILL')
  }
})
