import * as z from 'zod'
import { mustBe } from './must-be.js'

/** What follows the prefix of an identifier. */
const suffix = z.string().regex(/[A-Za-z0-9_-]{1,128}/)

/** A schema that knows the regular expression of its values. */
type WithPattern = z.ZodType<string> & { _zod: { pattern: RegExp } }

/** Shows the pattern in OpenAPI too, whose generator would write `.*` for each part. */
const shown = <Schema extends WithPattern>(
  schema: Schema,
  description: string,
  example: string,
  gap?: string,
) =>
  schema.meta({
    description,
    examples: [example],
    pattern: schema._zod.pattern.source,
    ...(gap && { 'x-assumed': gap }),
  })

/** `cus_<id>` */
export const CustomerId = shown(z.templateLiteral(['cus_', suffix]), 'A customer.', 'cus_ada')

/** `wallet_<currency in lower case>_<id>` */
export const WalletId = shown(
  z.templateLiteral(['wallet_', z.string().regex(/[a-z]{3}/), '_', suffix]),
  'A wallet.',
  'wallet_kes_ada',
)

/** `tr_<id>` */
export const TransferId = shown(z.templateLiteral(['tr_', suffix]), 'A transfer.', 'tr_01K4Z')

/** `evt_<id>` */
export const EventId = shown(z.templateLiteral(['evt_', suffix]), 'An event.', 'evt_01K4Z')

/** `whe_<id>`; the prefix is our assumption. */
export const WebhookSubscriptionId = shown(
  z.templateLiteral(['whe_', suffix]),
  'A webhook subscription.',
  'whe_01K4Z',
  'G5',
)

/** `apr_<id>`; the prefix is our assumption. */
export const ApprovalId = shown(z.templateLiteral(['apr_', suffix]), 'An approval.', 'apr_01K4Z', 'G6')

/** `je_<id>`; the prefix is our assumption. */
export const LedgerEntryId = shown(z.templateLiteral(['je_', suffix]), 'A journal line.', 'je_01K4Z', 'G6')

/** The identifier of a request. Its type is `string`, since programs read it from a database or a form. */
export const givenId = (id: WithPattern, shape: string) =>
  z
    .string(mustBe(`a string of the shape ${shape}`))
    .regex(id._zod.pattern, `must have the shape ${shape}`)
    .meta(id.meta() ?? {})
