import type { Receiver } from 'webhook-inbox'
import { NothingDoneError } from '../exit.js'
import { printable } from '../printable.js'

/**
 * Why no event is kept under an id: it was discarded, or its delivery is in quarantine. `undefined` if nothing is known of the
 * id, which is then probably misspelled.
 */
export async function whyMissing(receiver: Receiver, id: string): Promise<string | undefined> {
  const { reason, sentence } = await receiver.explain(id)
  return reason === 'unknown' ? undefined : printable(sentence)
}

/** The error for an event that is not kept. */
export async function missingEvent(receiver: Receiver, id: string): Promise<Error> {
  const why = await whyMissing(receiver, id)
  return new NothingDoneError(
    why === undefined ? `no event ${printable(id)} is kept` : `nothing was done. ${why}`,
  )
}
