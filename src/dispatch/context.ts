import type { WorkContext } from '../store/store.js'
import type { Deadline } from '../timing/deadline.js'
import type { HandlerContext } from './handlers.js'

/**
 * What a handler gets, under a claim and until a deadline. A class, since a getter in an object literal costs a microsecond
 * for each object; here it is made once.
 */
export class Context implements HandlerContext<unknown> {
  readonly attempt: number
  readonly tx: unknown
  /** Of the object itself, so that it can be taken out of its context, and is in a copy of it. */
  readonly warn = (warning: string) => void this.warnings.push(warning)
  readonly #work: WorkContext<unknown>
  readonly #deadline: Deadline
  #signal: AbortSignal | undefined

  constructor(
    work: WorkContext<unknown>,
    deadline: Deadline,
    readonly warnings: string[],
  ) {
    this.attempt = work.attempt
    this.tx = work.tx
    this.#work = work
    this.#deadline = deadline
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.#deadline.signal, this.#work.signal])
    return this.#signal
  }
}
