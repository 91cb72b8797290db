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
  let signal: AbortSignal | undefined
  const context: HandlerContext<unknown> = {
    attempt: work.attempt,
    tx: work.tx,
    warnings,
    warn: (warning) => void warnings.push(warning),
    get signal() {
      signal ??= AbortSignal.any([deadline.signal, work.signal])
      return signal
    },
  }
  try {
    await handler(event as never, context as never)
  } catch (error) {
    throw new HandlerFailure(error)
  }
}
