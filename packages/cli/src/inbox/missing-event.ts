import type { Receiver } from 'webhook-inbox'
import { NothingDoneError } from '../exit.js'
import { printable } from '../printable.js'

/**
 * Why no event is kept under an id: it was discarded, or its delivery is in quarantine. `undefined` if nothing is known of the
 * id, which is then probably misspelled.
 */
export async function whyMissing(receiver: Receiver, id: string): Promise<string | undefined> {
  const { reason, sentence, alsoQuarantined } = await receiver.explain(id)
  if (reason === 'unknown') {
    return
  }
  const isQuarantined = reason === 'quarantined' || alsoQuarantined !== undefined
  return printable(`${sentence}${isQuarantined ? await whereToLook(receiver, id) : ''}`)
}

/** The quarantine keeps deliveries under keys of their own. Nothing if the id is such a key. */
async function whereToLook(receiver: Receiver, eventId: string): Promise<string> {
  const [delivery] = await receiver.quarantined({ eventId, limit: 1, bodies: false })
  return delivery ? ` To look at it: webhook-inbox inbox show ${delivery.key}` : ''
}

/** The error for an event that is not kept. */
export async function missingEvent(receiver: Receiver, id: string): Promise<Error> {
  const why = await whyMissing(receiver, id)
  return new NothingDoneError(
    why === undefined ? `no event ${printable(id)} is kept` : `nothing was done. ${why}`,
  )
}
