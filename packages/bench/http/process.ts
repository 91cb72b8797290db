import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const frameworks = ['express', 'fastify', 'koa', 'node'] as const
export type Framework = (typeof frameworks)[number]

/** What a server process reports. */
export interface ServerState {
  readonly port: number
  /** Processor time of its process since the start: all threads, user and system. */
  readonly cpuMicroseconds: number
  /** Number of handler calls. */
  readonly handled: number
}

/** A server in its own process, so that its use can be measured alone. */
export class ServerProcess {
  readonly #child: ChildProcess

  /** `script` is the program of the server, relative to this file. */
  constructor(framework: Framework, variant: string, pinned: readonly string[], script = 'server.ts') {
    const program = fileURLToPath(new URL(script, import.meta.url))
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

  /** The first message of a server, sent when it listens. */
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
