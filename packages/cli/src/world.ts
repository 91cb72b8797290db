import type { Readable, Writable } from 'node:stream'

/** A stream to print to; a terminal has a width and colors. */
export interface Output extends Writable {
  readonly isTTY?: boolean
  readonly columns?: number
  hasColors?(env?: object): boolean
}

/** Everything outside the program that a command uses. A test passes its own. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  /** The time in unix seconds. */
  readonly now: () => number
  /** Aborts when the user presses Ctrl-C. From the first call on, the command must end by itself. */
  readonly interrupted: () => AbortSignal
}
