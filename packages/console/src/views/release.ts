import type { Receiver } from 'webhook-inbox'
import { ifSupported } from '../if-supported.js'
import type { Released } from '../wire.js'
import { discardOf } from './discard.js'

/**
 * Which event a delivery became, and who released it if `isNamed`. `undefined` if that is not known, or if the delivery came
 * back and was discarded then.
 */
export async function releaseOf(
  receiver: Receiver,
  key: string,
  isNamed: boolean,
): Promise<Released | undefined> {
  const about = await ifSupported(() => receiver.audits({ subject: key, limit: 1 }))
  const found = about?.find(({ action }) => action === 'verifyAgain')
  if (found?.eventId === undefined) {
    return undefined
  }
  const discard = await discardOf(receiver, key, false)
  if (discard && Date.parse(discard.at) >= Date.parse(found.at)) {
    return undefined
  }
  const { at, eventId, actor } = found
  return { released: { at, eventId, ...(isNamed && { actor }) } }
}
