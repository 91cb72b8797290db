import type { WorkContext } from '../dedupe/store.js'
import { HandlerFailure } from '../errors.js'
import type { WebhookEvent } from '../event/event.js'
import type { Deadline } from './deadline.js'
import type { AnyHandler, HandlerContext } from './handlers.js'

/** Runs a handler under a claim. Rejects with {@link HandlerFailure} whatever it throws. */
export async function runHandler(
  handler: AnyHandler,
  event: WebhookEvent,
  work: WorkContext<unknown>,
  deadline: Deadline,
  warnings: string[],
): Promise<void> {
  try {
    await handler(event as never, new Context(work, deadline, warnings) as never)
  } catch (error) {
    throw new HandlerFailure(error)
  }
}

/** A class, since a getter in an object literal costs a microsecond for each object; here it is made once. */
class Context implements HandlerContext<unknown> {
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
