import type { BulkStore, EditedEvent } from '../../../store/bulk-store.js'
import { eventChanged } from '../../../store/changed.js'
import { parseQuarantineKey } from '../../../store/quarantined-delivery.js'
import { toText } from '../connection/text.js'
import type { Database, Query } from '../connection/transactions.js'
import { commitWithJob } from '../events/commit-with-job.js'
import { columns, resourceOf, values, valuesOf } from '../events/event-values.js'
import { stateByKey } from '../events/state-by-key.js'
import { recordAudit } from '../operate/postgres-audits.js'
import { checkNewestCopy } from './postgres-newest-copy.js'

const texts = {
  doing: 'accept an event',
  whenBusy: 'another transaction stood in the way; fix: try again in a moment',
}

/** `$8` resource, `$9` the id of the parent or null, `$10` its key or null, `$11` and `$12` the place of the delivery. */
const accept = (schema: string) => `
INSERT INTO ${schema}.events (${columns}, state, attempt, queued, due_at, resource, parent, root, delivered_at)
VALUES (${values}, 'accepted', 0, true, now(), $8::text, $9::text,
  coalesce((SELECT coalesce(p.root, p.id) FROM ${schema}.events AS p WHERE p.key = $10::text), $9::text),
  (SELECT q.received_at FROM ${schema}.quarantine AS q WHERE q.endpoint = $11::text AND q.content_hash = $12::text))
ON CONFLICT (key) DO NOTHING RETURNING key`

/** Accepts events without a delivery. */
export function postgresCopies<Tx>(
  database: Database<Tx>,
  schema: string,
): Pick<BulkStore<Tx>, 'acceptFrom'> {
  return {
    acceptFrom: (event, from, audit, enqueue) =>
      commitWithJob(database, texts, async ({ query, tx }, within) => {
        const [parent, parentKey] = 'parent' in from ? [from.parent, toText(from.parentKey)] : [null, null]
        const place = 'delivery' in from ? placeOf(from.delivery) : [null, null]
        const given = [...valuesOf(event), resourceOf(event), parent, parentKey, ...place]
        if ((await query(accept(schema), given)).length === 0) {
          // Another operator may have released this delivery as the event.
          return 'parent' in from || (await isQuarantined(query, schema, from.delivery))
            ? 'duplicate'
            : 'gone'
        }
        if ('parent' in from) {
          await markEdited(query, schema, from, event.key)
        } else if (!(await release(query, schema, from.delivery))) {
          await query(`DELETE FROM ${schema}.events WHERE key = $1::text`, [toText(event.key)])
          return 'gone'
        }
        const { endpoint, key, id: eventId } = event
        await recordAudit(query, schema, {
          action: 'parent' in from ? 'replayEdited' : 'verifyAgain',
          ...{ endpoint, key, eventId, ...audit },
          subject: 'parent' in from ? from.parent : from.delivery,
        })
        await within(() => enqueue(tx))
        return 'accepted'
      }),
  }
}

/** Gives the event that was edited its root. Throws if it, or its newest copy apart from `key`, is not as the operator saw it. */
async function markEdited(query: Query, schema: string, from: EditedEvent, key: string): Promise<void> {
  const { parentKey, seen, copies } = from
  // Its lock makes a second edit wait, which then sees the copy of the first.
  const [found] = await query(
    `UPDATE ${schema}.events SET root = coalesce(root, id)
WHERE key = $1::text AND ($2::text IS NULL OR ${stateByKey} = $2::text) AND ($3::bigint IS NULL OR generation = $3::bigint)
RETURNING key`,
    [toText(parentKey), seen?.state ?? null, seen?.generation ?? null],
  )
  if ((seen || copies) && !found) {
    throw eventChanged()
  }
  if (copies) {
    await checkNewestCopy(query, schema, { key: parentKey, copies, apart: key })
  }
}

const ofDelivery = (schema: string) =>
  `FROM ${schema}.quarantine WHERE endpoint = $1::text AND content_hash = $2::text`

function placeOf(delivery: string): unknown[] {
  const { endpoint, bodyHash } = parseQuarantineKey(delivery) ?? { endpoint: '', bodyHash: '' }
  return [endpoint, toText(bodyHash)]
}

async function isQuarantined(query: Query, schema: string, delivery: string): Promise<boolean> {
  return (await query(`SELECT seq ${ofDelivery(schema)}`, placeOf(delivery))).length > 0
}

/** Deletes a quarantined delivery; resolves to whether there was one. */
async function release(query: Query, schema: string, delivery: string): Promise<boolean> {
  return (await query(`DELETE ${ofDelivery(schema)} RETURNING seq`, placeOf(delivery))).length > 0
}
