import { PassThrough, Readable } from 'node:stream'
import { commands } from '../src/commands.js'
import type { ExitCode } from '../src/exit.js'
import { run } from '../src/run.js'
import type { Output } from '../src/world.js'

export interface Printed {
  readonly code: ExitCode
  readonly stdout: string
  readonly stderr: string
  /** Both, in the order in which they were written: what a terminal shows. */
  readonly screen: string
}

export interface Setting {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: Uint8Array | string
  /** Columns of the terminal that stdout and stderr are; without it both are pipes. */
  readonly columns?: number
  /** Makes stderr a pipe, so that nothing there depends on how long a command takes. */
  readonly isStderrPiped?: boolean
  readonly now?: number
  readonly signal?: AbortSignal
}

/** Runs a command line in this process, on real streams. */
export async function webhookInbox(args: readonly string[], setting: Setting = {}): Promise<Printed> {
  const { env = {}, stdin = '', columns, isStderrPiped = false, now = Date.now() / 1000, signal } = setting
  const screen: string[] = []
  const [stdout, stderr] = [output(columns, screen), output(isStderrPiped ? undefined : columns, screen)]
  const code = await run(
    args,
    {
      env,
      stdin: Readable.from([Buffer.from(stdin)]),
      stdout,
      stderr,
      now: () => Math.floor(now),
      interrupted: () => signal ?? new AbortController().signal,
    },
    commands,
  )
  return { code, stdout: printed(stdout), stderr: printed(stderr), screen: screen.join('') }
}

function output(columns: number | undefined, screen: string[]): Output & PassThrough {
  const stream = new PassThrough({
    highWaterMark: 2 ** 30,
    transform(chunk: Buffer, _encoding, done) {
      screen.push(chunk.toString('utf8'))
      done(null, chunk)
    },
  })
  if (columns === undefined) {
    return stream
  }
  const hasColors = (env: { NO_COLOR?: string } = {}) => env.NO_COLOR === undefined
  return Object.assign(stream, { isTTY: true, columns, hasColors })
}

const printed = (stream: PassThrough) => (stream.read() as Buffer | null)?.toString('utf8') ?? ''
