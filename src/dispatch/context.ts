import { catchLater } from '../catch-later.js'
import type { WorkContext } from '../store/store.js'
import type { Deadline } from '../timing/deadline.js'
import type { HandlerContext } from './handlers.js'

/** User code may pass any value. A proxy can throw when it is converted to text. */
function textOf(warning: unknown): string {
  try {
    return String(warning)
  } catch {
    return 'a warning that cannot be printed'
  }
}

/**
 * The context of a handler. It is a class, because an object literal would create its getter again for each delivery.
 */
export class Context implements HandlerContext<unknown> {
  readonly attempt: number
  readonly tx: unknown
  /** A property of the object, so that it works when destructured or copied. */
  readonly warn = (warning: string) => {
    catchLater(warning)
    this.#warnings.push(textOf(warning))
  }
  readonly #work: WorkContext<unknown>
  readonly #deadline: Deadline
  readonly #warnings: string[]
  #signal: AbortSignal | undefined

  constructor(work: WorkContext<unknown>, deadline: Deadline, warnings: string[]) {
    this.attempt = work.attempt
    this.tx = work.tx
    this.#work = work
    this.#deadline = deadline
    this.#warnings = warnings
  }

  /** A copy, because the warnings of the result must be text. */
  get warnings(): readonly string[] {
    return [...this.#warnings]
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.#deadline.signal, this.#work.signal])
    return this.#signal
  }
}
