import type { Receiver, StoredQuarantine } from 'webhook-inbox'
import { type KeptDelivery, logKept } from '../log-kept.js'
import { problemOf } from '../problem.js'
import { idsInBodies } from '../views/id-in-body.js'
import { shownReason } from '../views/shown-reason.js'
import type { VerificationPreview, VerifiedSome } from '../wire.js'
import { codeOf, previewOf, requireAsShown } from './preview-verification.js'
import { type ActCall, type Call, placeAt, type Route } from './route.js'

/** How many deliveries one request checks at most. */
const mostAtOnce = 20
/** One request starts no further check after this time, so that it ends well before its time limit. */
const mostMilliseconds = 2000

/** Many deliveries are checked as each single one is. The page asks for one part after the other. */
export const verifyAllRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/quarantine/preview',
    action: 'deliveries:verify',
    isPreparation: true,
    run: (call): Promise<VerificationPreview> => previewOf(call),
  },
  {
    method: 'POST',
    path: '/quarantine/verify-again',
    action: 'deliveries:verify',
    async run(call): Promise<VerifiedSome> {
      await requireAsShown(call)
      const stay: KeptDelivery[] = []
      try {
        return await verifySome(call, stay)
      } finally {
        logKept(call.options.logger, call.audit, stay)
      }
    },
  },
]

/** Where a part begins and where the whole ends. A preview gives only the end. */
function rangeAt(cursor: unknown): { readonly end: number | undefined; readonly after: number | undefined } {
  const [end, after] = typeof cursor === 'string' ? cursor.split(' ') : [cursor]
  return { end: placeAt(end), after: placeAt(after) }
}

/** What arrives later does not join. */
const endOf = ([newest]: readonly StoredQuarantine[]): number => (newest?.place ?? 0) + 1

/** The oldest first, because events of one resource run in the order of their release. Adds to `stay` what stays in quarantine. */
async function verifySome(call: ActCall, stay: KeptDelivery[]): Promise<VerifiedSome> {
  const { receiver, options, body, audit, may } = call
  const isShown = await may('events:read')
  const query = { code: codeOf(call), bodies: false } as const
  const given = rangeAt(body.cursor)
  const end = given.end ?? endOf(await receiver.quarantined({ ...query, limit: 1 }))
  const part = { after: given.after, order: 'oldest', limit: mostAtOnce + 1 } as const
  const found = await receiver.quarantined({ ...query, ...part })
  const rows = found.slice(0, mostAtOnce).filter(({ place }) => place < end)
  const nextAfter = ({ place }: StoredQuarantine) => ({ next: `${end} ${place}` })
  const more = found[mostAtOnce]
  const next = more && more.place < end ? nextAfter(rows.at(-1) as StoredQuarantine) : {}
  const bodies = { code: codeOf(call), ...part }
  const ids = isShown ? await idsInBodies(call, found, () => receiver.quarantined(bodies)) : new Map()
  const start = performance.now()
  const counts: Counts = { released: 0, kept: [], gone: 0, unchecked: [] }
  for (const [index, delivery] of rows.entries()) {
    const before = rows[index - 1]
    const rest = before && nextAfter(before)
    if (rest && performance.now() - start > mostMilliseconds) {
      return { ...counts, ...rest }
    }
    try {
      const outcome = await verifyOne(receiver, delivery.key, audit)
      await note(counts, { ...delivery, idInBody: ids.get(delivery.key) }, outcome, isShown && call)
      if (typeof outcome === 'object') {
        stay.push({ key: delivery.key, code: outcome.code })
      }
    } catch (error) {
      const problem = problemOf(error, options.logger.error)
      const { code, message: detail } = problem
      if (code === 'internal_error' || code === 'busy') {
        // It may fail each time, and must not keep the page from the deliveries behind it.
        stay.push({ key: delivery.key, code })
        counts.unchecked.push(
          isShown ? entryOf({ ...delivery, idInBody: ids.get(delivery.key) }, { code, detail }) : { code },
        )
      } else if (rest) {
        // The page must learn what was released. Its next request meets the error again.
        return { ...counts, ...rest }
      } else {
        throw problem
      }
    }
  }
  return { ...counts, ...next }
}

interface Reason {
  readonly code: string
  readonly detail?: string
}

interface Counts {
  released: number
  readonly kept: VerifiedSome['kept'][number][]
  gone: number
  readonly unchecked: VerifiedSome['unchecked'][number][]
}

type Named = StoredQuarantine & { readonly idInBody?: string | undefined }

const entryOf = ({ key, eventId, idInBody, bodyBytes }: Named, reason: Reason) => ({
  key,
  ...(eventId !== undefined && { eventId }),
  ...(idInBody !== undefined && { idInBody }),
  ...(eventId === undefined && bodyBytes !== undefined && { bytes: bodyBytes }),
  ...reason,
})

/** Without `shown`, a delivery that stays has only its code. */
async function note(counts: Counts, delivery: Named, outcome: Outcome, shown: Call | false) {
  if (typeof outcome === 'string') {
    counts[outcome] += 1
  } else if (!shown) {
    counts.kept.push({ code: outcome.code })
  } else {
    counts.kept.push(entryOf(delivery, await reasonOf(delivery.key, outcome, shown)))
  }
}

/** A mask looks into the body. One body at a time, because each may be large. */
async function reasonOf(key: string, reason: Reason, { receiver, options }: Call) {
  const body = options.mask && (await receiver.inspectQuarantined(key))?.body
  // Without the body it is not known what to hide.
  return options.mask && !body ? { code: reason.code } : shownReason(reason, body ?? nothing, options)
}

const nothing = new Uint8Array()

type Outcome = 'released' | 'gone' | Reason

async function verifyOne(receiver: Receiver, key: string, audit: ActCall['audit']): Promise<Outcome> {
  try {
    const { released, kept } = await receiver.verifyAgain({ key }, audit)
    return kept[0] ?? (released.length > 0 ? 'released' : 'gone')
  } catch (error) {
    if ((error as { code?: unknown }).code === 'target_not_found') {
      return 'gone'
    }
    throw error
  }
}
