import type { WorkContext } from '../dedupe/store.js'
import type { WebhookEvent } from '../event/event.js'
import type { Deadline } from './deadline.js'
import type { AnyHandler, HandlerContext } from './handlers.js'

/** Carries what the user’s code threw through the store, so that it is not mistaken for a fault of the store. */
export class HandlerFailure extends Error {
  override readonly name = 'HandlerFailure'
  constructor(
    override readonly cause: unknown,
    /** Where it was thrown, if not by the handler itself. */
    readonly detail?: string,
  ) {
    super('the handler threw or rejected', { cause })
  }
}

/** Runs a handler under a claim. Rejects with {@link HandlerFailure} whatever it throws. */
export async function runHandler(
  handler: AnyHandler,
  event: WebhookEvent,
  work: WorkContext<unknown>,
  deadline: Deadline,
  warnings: string[],
): Promise<void> {
  const context: HandlerContext<unknown> = {
    attempt: work.attempt,
    tx: work.tx,
    warnings,
    warn: (warning) => void warnings.push(warning),
    get signal() {
      return AbortSignal.any([deadline.signal, work.signal])
    },
  }
  try {
    await handler(event as never, context as never)
  } catch (error) {
    throw new HandlerFailure(error)
  }
}
