import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { deliveries } from '../http/deliveries.js'
import { Load } from '../http/load.js'
import type { ReceiveName } from './receives.js'
import type { Variant } from './variants.js'

export interface Entry {
  readonly variant: Variant
  /** The directory of the built package. */
  readonly directory: string
  readonly database?: string | undefined
}

/** A process of one variant, and what its turns cost. */
export class Contestant {
  /** Processor time of one receive, in microseconds, by turn. */
  readonly costs: number[] = []

  private constructor(
    private readonly child: ChildProcess,
    private readonly load: Load | undefined,
  ) {}

  static async start(receive: ReceiveName, { variant, directory, database }: Entry): Promise<Contestant> {
    const program = fileURLToPath(new URL('measured.ts', import.meta.url))
    const args = [
      '--import',
      'tsx',
      program,
      receive,
      variant.name,
      directory,
      ...(database ? [database] : []),
    ]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    child.once('exit', (code, signal) => {
      if (child.connected || code) {
        throw new Error(`${receive}, ${variant.name} ended: ${code ?? signal}`)
      }
    })
    const [port] = (await once(child, 'message')) as [number]
    return new Contestant(child, port === 0 ? undefined : await Load.open(port, 50))
  }

  async turn(count: number): Promise<number> {
    return (await (this.load ? this.overHttp(this.load, count) : this.ask(count))) / count
  }

  private async overHttp(load: Load, count: number): Promise<number> {
    const requests = deliveries(count)
    const from = await this.ask(0)
    await load.send(requests)
    return (await this.ask(0)) - from
  }

  private async ask(count: number): Promise<number> {
    this.child.send(count)
    const [use] = (await once(this.child, 'message')) as [number]
    return use
  }

  async stop(): Promise<void> {
    this.load?.close()
    const exited = once(this.child, 'exit')
    this.child.disconnect()
    await exited
  }
}
