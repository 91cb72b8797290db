import type { Receiver, StoredEvent } from 'webhook-inbox'
import { printable } from '../printable.js'
import type { Printer } from '../printer.js'

/** A replay or a give-up is looked for among so many of the newest audits of an event. */
const mostAudits = 20

/** Warns of what an operator should know before a change of an event, and its state does not say. */
export async function takeCare(
  receiver: Receiver,
  event: StoredEvent,
  print: Pick<Printer, 'warn'>,
): Promise<void> {
  for (const fact of [await givenUp(receiver, event), await alsoQuarantined(receiver, event)]) {
    if (fact !== undefined) {
      print.warn(`${printable(event.id)}: ${fact}`)
    }
  }
}

async function alsoQuarantined(receiver: Receiver, { id }: StoredEvent): Promise<string | undefined> {
  const { alsoQuarantined: code } = (await ifSupported(receiver.explain(id))) ?? {}
  return code && `a delivery with its id and other content is in quarantine because of ${code}`
}

async function givenUp(
  receiver: Receiver,
  { id, state, receivedAt }: StoredEvent,
): Promise<string | undefined> {
  if (state !== 'dead') {
    return undefined
  }
  const audits = await ifSupported(receiver.audits({ eventId: id, limit: mostAudits }))
  const last = audits?.find(({ action }) => action === 'giveUp' || action === 'replay')
  // An event of the same id may have been given up and discarded before this one was delivered.
  return last?.action === 'giveUp' && Date.parse(last.at) >= Date.parse(receivedAt)
    ? `it was given up by ${printable(last.actor)} at ${last.at}: ${printable(last.reason)}`
    : undefined
}

/** `undefined` if the store of the user lacks what this needs. */
async function ifSupported<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    // By code and not by class, because the program has its own copy of the toolkit.
    if ((error as { code?: unknown }).code === 'invalid_store') {
      return undefined
    }
    throw error
  }
}
