/** The exit codes of the process. */
export const exit = {
  /** The command succeeded, or the check passed. */
  good: 0,
  /** A check failed: for example, a signature does not verify. Or there was nothing to do. */
  negative: 1,
  /** The command line or a file that it names is wrong: nothing was done. */
  usage: 2,
  /** Another program could not be reached. */
  unreachable: 3,
  /** A bug in this program. */
  internal: 70,
  /** Ctrl-C at a prompt for confirmation. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exit)[keyof typeof exit]

/** The user must change the command. The message is one line that says what to do; it never holds a secret. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** The command whose help explains more. */
  command?: string
  /** The stack of an error in the module of the user. */
  stackOfCause?: string
  readonly exitCode = exit.usage
}

/** The command line is correct, but the change was made before, or is no longer possible. */
export class NothingDoneError extends Error {
  override readonly name = 'NothingDoneError'
  readonly exitCode = exit.negative
}

/** The user pressed Ctrl-C at a prompt for confirmation: nothing was done. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError'
  readonly exitCode = exit.interrupted
}

/** A server did not respond. The message names it and says what to do. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly exitCode = exit.unreachable
}
