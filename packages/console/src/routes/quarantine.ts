import type { Code, Receiver } from 'webhook-inbox'
import { inTurn } from '../in-turn.js'
import { logKept } from '../log-kept.js'
import { adviceFor } from '../views/advice.js'
import { auditsOfDelivery } from '../views/audits-of-delivery.js'
import { bodyView } from '../views/body-view.js'
import { eventRow, quarantineRow } from '../views/event-row.js'
import { idInBody, idsInBodies } from '../views/id-in-body.js'
import { maskedDifferences } from '../views/masked-differences.js'
import { originalOf } from '../views/original.js'
import { releaseOf } from '../views/release.js'
import { shownReason, shownWarnings } from '../views/shown-reason.js'
import { undoWords } from '../views/undo-words.js'
import type {
  DiscardDone,
  Discarded,
  QuarantineDetail,
  QuarantineList,
  Released,
  VerifiedAgain,
} from '../wire.js'
import { undoOf } from './event-acts.js'
import { discardedOr } from './events.js'
import { deliveryIsGone, deliveryToChange, noDelivery } from './gone.js'
import { mostGroups } from './groups.js'
import { parts } from './part.js'
import { limitOf, pageOf, placeOf, type Route } from './route.js'

export const quarantineRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/quarantine',
    action: 'events:read',
    async run(call): Promise<QuarantineList> {
      const { receiver, query } = call
      const limit = limitOf(query)
      const code = (query.get('code') || undefined) as Code | undefined
      const page = { code, limit: limit + 1, after: placeOf(query) }
      const { rows, next } = pageOf(await receiver.quarantined({ ...page, bodies: false }), limit)
      const ids = await idsInBodies(call, rows, () => receiver.quarantined({ ...page, limit }))
      const about = await parts<Pick<QuarantineList, 'causes'>>(call, { causes: () => causesOf(receiver) })
      return { rows: rows.map((row) => quarantineRow(row, ids.get(row.key))), ...next, ...about }
    },
  },
  {
    method: 'GET',
    path: '/quarantine/:key',
    action: 'events:read',
    async run(call): Promise<QuarantineDetail | Discarded | Released> {
      const { receiver, options, param, may } = call
      const delivery = await receiver.inspectQuarantined(param('key'))
      if (!delivery) {
        // A delivery may be discarded, restored and then released.
        return (
          (await releaseOf(receiver, param('key'), await may('audits:read'))) ??
          discardedOr(call, param('key'), noDelivery, auditsOfDelivery)
        )
      }
      const kept = delivery.eventId === undefined ? undefined : await receiver.inspect(delivery.eventId)
      const mayRead = await may('bodies:read')
      const { mask } = options
      const differences = kept && mayRead ? await maskedDifferences(kept.body, delivery.body, mask) : []
      const { warnings, rejection } = delivery
      // The body can be read now and is rejected, so its data is wrong in another way.
      const isUnreadable = !(warnings && rejection && rejection.code !== 'handler_failed')
      // What to do now. The cause of the quarantine may be corrected, and then its advice would mislead.
      const nowCode = rejection?.code ?? (kept && 'event_id_conflict')
      const advice = nowCode && adviceFor(nowCode, isUnreadable)
      return {
        ...quarantineRow(
          delivery,
          mayRead && delivery.eventId === undefined ? idInBody(delivery.body, mask) : undefined,
        ),
        ...(advice && { advice }),
        ...(kept ? {} : await originalOf(receiver, delivery.eventId, await may('audits:read'))),
        ...(rejection && { rejection: shownReason(rejection, delivery.body, options) }),
        ...(warnings && { warnings: shownWarnings(warnings, delivery.body, options) }),
        ...(mayRead && { body: await inTurn(() => bodyView(delivery.body, mask)) }),
        ...(kept && { kept: await inTurn(() => eventRow(kept, options)) }),
        ...(kept && mayRead && { keptBody: await inTurn(() => bodyView(kept.body, mask)) }),
        beforeDiscard: `This delivery${kept ? ' is deleted. The stored event stays' : ' is deleted'}. ${undoWords(receiver)}`,
        ...(differences.length > 0 && { maskedDifferences: differences }),
      }
    },
  },
  {
    method: 'POST',
    path: '/quarantine/:key/discard',
    action: 'events:discard',
    async run(call): Promise<DiscardDone> {
      const { receiver, audit } = call
      const { key } = await deliveryToChange(call)
      try {
        await receiver.discard(key, audit, { kind: 'delivery' })
      } catch (error) {
        // Somebody else may have discarded or released it at the same moment.
        throw (await receiver.inspectQuarantined(key)) ? error : await deliveryIsGone(call)
      }
      return undoOf(receiver, key, 'delivery')
    },
  },
  {
    method: 'POST',
    path: '/quarantine/:key/verify-again',
    action: 'deliveries:verify',
    async run(call): Promise<VerifiedAgain> {
      const { receiver, options, audit } = call
      const { key, body } = await deliveryToChange(call)
      const { released, kept } = await receiver.verifyAgain({ key }, audit)
      const [eventId] = released
      if (eventId !== undefined) {
        return { outcome: 'accepted', eventId }
      }
      const [refused] = kept
      if (!refused) {
        throw await deliveryIsGone(call)
      }
      logKept(options.logger, audit, kept)
      return { outcome: 'refused', ...shownReason(refused, body, options) }
    },
  },
]

async function causesOf(receiver: Receiver) {
  return (await receiver.failures({ limit: mostGroups }))
    .flatMap(({ code, quarantined, isCapped }) =>
      code && quarantined > 0 ? [{ code, count: quarantined, isCapped }] : [],
    )
    .toSorted((a, b) => b.count - a.count)
}
