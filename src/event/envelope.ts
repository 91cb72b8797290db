import * as z from 'zod'

/**
 * RFC 3339 with seconds. The interface says UTC, but any offset is accepted. The length allows nine fractional digits and
 * an offset.
 */
const timeForm = 'must be a time such as 2026-01-02T03:04:05Z'
const timestamp = z.iso.datetime({ offset: true, error: timeForm }).max(35, timeForm)

/**
 * No control characters, surrogates or unassigned characters, so the text is safe in a log line and in a key. ASCII comes
 * first because a search through the classes of Unicode is slow.
 */
const textForm = 'must be a text of 1 to 255 printable characters'
const printable = z.string(textForm).regex(/^(?:[ -~]{1,255}|\P{C}{1,255})$/u, textForm)

const optionalText = z.string('must be a text, if it is given').optional()

/** Without `data`, which is checked by hand: every object fits, and is not copied. */
const shared = {
  type: printable,
  environment: optionalText,
  product: optionalText,
}

const idForm = 'must be evt_ and 1 to 128 letters, digits, _ or -'

/** The camelCase form of the service interface. Its ids have the form `evt_<id>`. */
export const camelCaseEnvelope = z.object({
  id: z.string(idForm).regex(/^evt_[A-Za-z0-9_-]{1,128}$/, idForm),
  createdAt: timestamp,
  ...shared,
})

/** The snake_case form. The form of its ids is not published. */
export const snakeCaseEnvelope = z.object({
  id: printable,
  created_at: timestamp,
  ...shared,
})
