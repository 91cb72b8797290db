import { eventChanged } from '../../../store/changed.js'
import { toText } from '../connection/text.js'
import type { Query } from '../connection/transactions.js'

/**
 * Throws if the newest edited copy of an event is not among those that the operator saw. The caller has locked the event, so
 * another edit waits. `apart` is the key of a copy that the caller has just added.
 */
export async function checkNewestCopy(
  query: Query,
  schema: string,
  of: { readonly key: string; readonly copies: readonly string[]; readonly apart?: string },
): Promise<void> {
  const [newest] = await query(
    `SELECT copy.id FROM ${schema}.events AS original
JOIN ${schema}.events AS copy ON copy.root COLLATE "C" = coalesce(original.root, original.id)
  AND copy.parent = original.id AND copy.endpoint = original.endpoint
WHERE original.key = $1::text AND copy.key <> coalesce($2::text, '') ORDER BY copy.seq DESC LIMIT 1`,
    [toText(of.key), of.apart === undefined ? null : toText(of.apart)],
  )
  if (newest && !of.copies.includes(newest.id)) {
    throw eventChanged()
  }
}
