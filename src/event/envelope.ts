import * as z from 'zod'

/**
 * RFC 3339 with seconds; the interface says UTC, an offset names the same instant and is let through. The length leaves
 * room for nine digits of a second and an offset.
 */
const timestamp = z.iso.datetime({ offset: true }).max(35)

/**
 * No control characters, no surrogates, nothing unassigned: safe in a log line and in a key. Those of ASCII first, which
 * spares a search through the classes of Unicode: 0.1 us.
 */
// Stryker disable next-line Regex: the first half is a part of the second
const printable = z.string().regex(/^(?:[ -~]{1,255}|\P{C}{1,255})$/u)

const shared = {
  type: printable,
  environment: z.string().optional(),
  product: z.string().optional(),
  data: z.unknown(),
}

/** Representation 1 of the service interface: camelCase, ids of the shape `evt_<id>`. */
export const camelCaseEnvelope = z.object({
  id: z.string().regex(/^evt_[A-Za-z0-9_-]{1,128}$/),
  createdAt: timestamp,
  ...shared,
})

/** Representation 2: snake_case; the shape of ids is not published. */
export const snakeCaseEnvelope = z.object({
  id: printable,
  created_at: timestamp,
  ...shared,
})
