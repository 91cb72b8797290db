import { eventChanged, StoreError } from '../../errors.js'
import type { BulkStore, EditedEvent } from '../../store/bulk-store.js'
import { parseQuarantineKey } from '../../store/quarantined-delivery.js'
import { commitWithJob, passing } from './commit-with-job.js'
import { columns, resourceOf, values, valuesOf } from './event-values.js'
import { recordAudit } from './postgres-audits.js'
import { toText } from './text.js'
import { type Database, type Query, shortly } from './transactions.js'

/** Accepts events without a delivery. */
export function postgresCopies<Tx>(
  database: Database<Tx>,
  schema: string,
): Pick<BulkStore<Tx>, 'acceptFrom'> {
  return {
    async acceptFrom(event, from, audit, enqueue) {
      const outcome = await commitWithJob(
        database,
        'accept an event',
        shortly,
        async ({ query, tx }, within) => {
          const root = 'parent' in from ? await rootFor(query, schema, from) : null
          if (root === undefined) {
            return changed
          }
          const [accepted] = await query(
            `INSERT INTO ${schema}.events (${columns}, state, attempt, queued, due_at, resource, parent, root)
VALUES (${values}, 'accepted', 0, true, now(), $8::text, $9::text, $10::text) ON CONFLICT (key) DO NOTHING RETURNING key`,
            [...valuesOf(event), resourceOf(event), 'parent' in from ? from.parent : null, root],
          )
          if (!accepted) {
            return 'duplicate' as const
          }
          if ('delivery' in from) {
            const { endpoint, bodyHash } = parseQuarantineKey(from.delivery) ?? { endpoint: '', bodyHash: '' }
            const gone = await query(
              `DELETE FROM ${schema}.quarantine WHERE endpoint = $1::text AND content_hash = $2::text RETURNING seq`,
              [endpoint, toText(bodyHash)],
            )
            if (gone.length === 0) {
              await query(`DELETE FROM ${schema}.events WHERE key = $1::text`, [toText(event.key)])
              return 'gone' as const
            }
          }
          const { endpoint, key, id: eventId } = event
          await recordAudit(query, schema, {
            action: 'parent' in from ? 'replayEdited' : 'verifyAgain',
            ...{ endpoint, key, eventId, ...audit },
            subject: 'parent' in from ? from.parent : from.delivery,
          })
          await within(() => enqueue(tx))
          return 'accepted' as const
        },
      )
      if (outcome === changed) {
        throw eventChanged()
      }
      if (outcome !== passing) {
        return outcome
      }
      throw new StoreError('another transaction stood in the way; fix: try again in a moment')
    },
  }
}

const changed = Symbol('changed')

/** The root of an event that is edited. It has it from now on too. `undefined` if the event is not as the operator saw it. */
async function rootFor(
  query: Query,
  schema: string,
  { parent, parentKey, seen }: EditedEvent,
): Promise<string | undefined> {
  const [found] = await query(
    `UPDATE ${schema}.events SET root = coalesce(root, id)
WHERE key = $1::text AND ($2::text IS NULL OR state = $2::text) AND ($3::bigint IS NULL OR generation = $3::bigint)
RETURNING root`,
    [toText(parentKey), seen?.state ?? null, seen?.generation ?? null],
  )
  return found?.root ?? (seen ? undefined : parent)
}
