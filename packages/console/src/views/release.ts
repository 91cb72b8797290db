import type { Receiver } from 'webhook-inbox'
import { ifSupported } from '../if-supported.js'
import type { Released } from '../wire.js'

/** How many of the newest audits are searched. An audit is not found by the delivery that it is about. */
const mostAudits = 500

/**
 * Which event a delivery became, and who released it if `isNamed`. `undefined` if that is not known, or if the delivery came
 * back and was discarded then.
 */
export async function releaseOf(
  receiver: Receiver,
  key: string,
  isNamed: boolean,
): Promise<Released | undefined> {
  const audits = await ifSupported(() => receiver.audits({ limit: mostAudits }))
  const found = audits?.find(
    (audit) =>
      (audit.action === 'verifyAgain' && audit.subject === key) ||
      (audit.action === 'discard' && audit.key === key),
  )
  if (found?.action !== 'verifyAgain' || found.eventId === undefined) {
    return undefined
  }
  const { at, eventId, actor } = found
  return { released: { at, eventId, ...(isNamed && { actor }) } }
}
