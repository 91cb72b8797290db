import type { Durations, EventRef } from '../../../store/event-ref.js'
import { toText } from '../connection/text.js'
import type { Limits } from '../connection/transactions.js'

/** What a statement that inserts an event begins with: `$1` to `$7` are its {@link valuesOf}. */
export const columns = 'key, endpoint, id, type, created_at, content_hash, body'
export const values = '$1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::bytea'

export const valuesOf = ({ key, endpoint, id, type, createdAt, contentHash, body }: EventRef) => [
  toText(key),
  endpoint,
  id,
  type,
  createdAt,
  toText(contentHash),
  body,
]

/** The values `$1` to `$5` of a statement that may give a known event new content. */
export const contentOf = ({ key, type, createdAt, contentHash, body }: EventRef) => [
  toText(key),
  type,
  createdAt,
  toText(contentHash),
  body,
]

/** A failed event that was never acknowledged may arrive with other content. Its body is written only then. */
export const content = (type: string, createdAt: string, hash: string, body: string, of = '') =>
  `type = ${type}, created_at = ${createdAt}, content_hash = ${hash},
    body = CASE WHEN ${of}content_hash = ${hash} THEN ${of}body ELSE ${body} END`

export const resourceOf = ({ resource }: EventRef) => (resource === undefined ? null : toText(resource))

export const traceContextOf = ({ traceContext }: EventRef) =>
  traceContext === undefined ? null : toText(traceContext)

/** How long the transaction that claims or accepts an event may take. */
export const limitsOf = ({ waitSeconds, leaseSeconds, workSeconds }: Durations): Limits => ({
  // Extending a table takes a short lock too. A free event must not become `busy` because of it.
  lockSeconds: Math.max(waitSeconds, 0.25),
  // A handler keeps its claim within its time limit, even if the lease is shorter.
  idleSeconds: Math.max(leaseSeconds, workSeconds),
})
