import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Variant } from './contender.js'

export const frameworks = ['express', 'fastify', 'koa', 'node'] as const
export type Framework = (typeof frameworks)[number]

/** What a server tells of itself. */
export interface ServerState {
  readonly port: number
  /** What its process has used since it began, all of its threads, user and system. */
  readonly cpuMicroseconds: number
  /** How often the handler has run. */
  readonly handled: number
}

/** A server in a process of its own, so that what it uses is its own. */
export class ServerProcess {
  readonly #child: ChildProcess

  constructor(framework: Framework, variant: Variant, pinned: readonly string[]) {
    const program = fileURLToPath(new URL('server.ts', import.meta.url))
    const command = [...pinned, process.execPath, '--import', 'tsx', program, framework, variant]
    this.#child = spawn(command[0] as string, command.slice(1), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#child.once('exit', (code, signal) => {
      if (this.#child.connected || code) {
        throw new Error(`the server ${framework} ${variant} ended: ${code ?? signal}`)
      }
    })
  }

  /** What it tells first, when it listens. */
  async listening(): Promise<ServerState> {
    const [state] = await once(this.#child, 'message')
    return state
  }

  async state(): Promise<ServerState> {
    this.#child.send('state')
    return this.listening()
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.disconnect()
    await exited
  }
}
