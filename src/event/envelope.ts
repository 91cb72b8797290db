import * as z from 'zod'

/**
 * RFC 3339 with seconds. The interface says UTC, but any offset is accepted. The length allows nine fractional digits and
 * an offset.
 */
const timestamp = z.iso.datetime({ offset: true }).max(35)

/**
 * No control characters, surrogates or unassigned characters, so the text is safe in a log line and in a key. ASCII comes
 * first because a search through the classes of Unicode is slow.
 */
const printable = z.string().regex(/^(?:[ -~]{1,255}|\P{C}{1,255})$/u)

const shared = {
  type: printable,
  environment: z.string().optional(),
  product: z.string().optional(),
  data: z.unknown(),
}

/** The camelCase form of the service interface. Its ids have the form `evt_<id>`. */
export const camelCaseEnvelope = z.object({
  id: z.string().regex(/^evt_[A-Za-z0-9_-]{1,128}$/),
  createdAt: timestamp,
  ...shared,
})

/** The snake_case form. The form of its ids is not published. */
export const snakeCaseEnvelope = z.object({
  id: printable,
  created_at: timestamp,
  ...shared,
})
