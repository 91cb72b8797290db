import { PassThrough, Readable } from 'node:stream'
import type { Table } from '../src/command.js'
import { commands } from '../src/commands.js'
import type { ExitCode } from '../src/exit.js'
import { run } from '../src/run.js'
import type { Output, World } from '../src/world.js'

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
  /** What the person types at a question, on a terminal. */
  readonly keys?: string
  /** What happens while the question is on the screen. */
  readonly asked?: () => Promise<unknown>
  /** Gets what is written to both streams while the command runs. */
  readonly written?: string[]
  /** Other commands than those that ship. */
  readonly table?: Table
}

/** Runs a command line in this process, on real streams. */
export async function webhookInbox(args: readonly string[], setting: Setting = {}): Promise<Printed> {
  const { env = {}, columns, isStderrPiped = false, now = Date.now() / 1000, signal, table } = setting
  const screen = setting.written ?? []
  const [stdout, stderr] = [output(columns, screen), output(isStderrPiped ? undefined : columns, screen)]
  const code = await run(
    args,
    {
      env,
      stdin: input(setting, stderr),
      stdout,
      stderr,
      now: () => Math.floor(now),
      interrupted: () => signal ?? new AbortController().signal,
    },
    table ?? commands,
  )
  return { code, stdout: printed(stdout), stderr: printed(stderr), screen: screen.join('') }
}

/** Standard input. With keys it is a terminal, and the keys come when the question is on the screen. */
function input({ stdin = '', keys, asked }: Setting, screen: PassThrough): World['stdin'] {
  if (keys === undefined) {
    return Readable.from([Buffer.from(stdin)])
  }
  const keyboard = Object.assign(new PassThrough(), { isTTY: true })
  let isTyped = false
  screen.on('question', async () => {
    if (!isTyped) {
      isTyped = true
      await asked?.()
      keyboard.write(keys)
    }
  })
  return keyboard
}

function output(columns: number | undefined, screen: string[]): Output & PassThrough {
  const stream = new PassThrough({
    highWaterMark: 2 ** 30,
    transform(chunk: Buffer, _encoding, done) {
      const text = chunk.toString('utf8')
      screen.push(text)
      if (text.includes('[y/N] ')) {
        stream.emit('question')
      }
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
