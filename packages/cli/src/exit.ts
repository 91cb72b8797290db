/** The exit codes of the process. */
export const exit = {
  /** The command succeeded, or the check passed. */
  good: 0,
  /** A check failed: for example, a signature does not verify. */
  negative: 1,
  /** The command line or a file that it names is wrong: nothing was done. */
  usage: 2,
  /** Another program could not be reached. */
  unreachable: 3,
  /** A fault of this program. */
  internal: 70,
  /** Ctrl-C at a question. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exit)[keyof typeof exit]

/** The user must change the command. The message is one line that says what to do; it never holds a secret. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** Whose help tells more. */
  command?: string
  readonly exitCode = exit.usage
}

/** The user pressed Ctrl-C at a question: nothing was done. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError'
  readonly exitCode = exit.interrupted
}

/** A server did not answer. The message names it and says what to do. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly exitCode = exit.unreachable
}
