import * as z from 'zod'
import { Currency, GivenCurrency } from './currency.js'
import { givenId, TransferId, WalletId } from './identifiers.js'
import { assumed, openSet } from './meta.js'
import { GivenAmount, GivenAmountAsNumber } from './money.js'
import { mustBe } from './must-be.js'
import { Timestamp } from './timestamp.js'

const text = z
  .string(mustBe('a string'))
  .min(1, 'must not be empty')
  .max(255, 'must have at most 255 characters')

/** Free-form: at most 50 keys of 40 characters, with values of 500. The bounds are our assumption. */
const Metadata = z
  .record(
    z.string().max(40, 'must have keys of at most 40 characters'),
    z.string(mustBe('a string')).max(500, 'must have at most 500 characters'),
    mustBe('an object of strings'),
  )
  .refine((metadata) => Object.keys(metadata).length <= 50, 'must have at most 50 keys')
  .meta({ description: 'The caller’s own, such as a reference.', examples: [{ reference: 'order 1042' }] })

const e164 = 'an E.164 telephone number, such as "+254712345678"'
const phone = z
  .string(mustBe(e164))
  .regex(/^\+[1-9]\d{1,14}$/, `must be ${e164}`)
  .meta({ description: 'E.164. Required for mobile_money.', examples: ['+254712345678'] })

/** Where shape A pays to. */
const Destination = z
  .strictObject({
    type: text.meta({ description: 'The kind of destination.', examples: ['mobile_money'] }),
    network: text.meta({ description: 'A partner network.', examples: ['sim_settle'] }),
    phone: phone.optional(),
  })
  .refine((to) => to.type !== 'mobile_money' || to.phone !== undefined, {
    path: ['phone'],
    error: 'is required for mobile_money',
  })
  .meta({ id: 'TransferDestination', description: 'A destination outside the service.' })

/** Shape A of `POST /v1/transfers`: the destination is an object, the amount a string, and there is no rail. */
export const TransferRequestA = z
  .strictObject({
    source: givenId(WalletId, 'wallet_<currency>_<id>'),
    destination: Destination,
    amount: GivenAmount,
    currency: GivenCurrency,
    metadata: Metadata.optional(),
  })
  .meta({ id: 'TransferRequestA', description: 'A transfer out of the service.' })
export type TransferRequestA = z.input<typeof TransferRequestA>

/** Shape B of `POST /v1/transfers`: the destination is a wallet, the amount a number, and the rail is named. */
export const TransferRequestB = z
  .strictObject({
    source: givenId(WalletId, 'wallet_<currency>_<id>'),
    destination: givenId(WalletId, 'wallet_<currency>_<id>'),
    amount: GivenAmountAsNumber,
    currency: GivenCurrency,
    rail: text.meta({ description: 'The rail.', examples: ['sim_settle'] }),
  })
  .meta({ id: 'TransferRequestB', description: 'A transfer between two wallets.' })
export type TransferRequestB = z.input<typeof TransferRequestB>

const eitherDestination = z.looseObject({
  destination: z.union(
    [z.string(), z.record(z.string(), z.unknown())],
    mustBe('an object (a destination outside the service) or a string (a wallet)'),
  ),
})

function shapeOf(body: unknown): z.ZodType<unknown> {
  const { success, data } = eitherDestination.safeParse(body)
  if (!success) {
    return eitherDestination
  }
  return typeof data.destination === 'string' ? TransferRequestB : TransferRequestA
}

/**
 * Body of `POST /v1/transfers`. The type of `destination` selects the schema. With a plain union, the error would not
 * name the field that is wrong.
 */
export const TransferRequest = z.preprocess(
  (body, context) => {
    const result = shapeOf(body).safeParse(body)
    if (result.success) {
      return result.data
    }
    // Each keeps the path and the message that its shape has given it.
    context.issues.push(...(result.error.issues as z.core.$ZodRawIssue[]))
    return z.NEVER
  },
  z
    .union([TransferRequestA, TransferRequestB])
    .meta(
      assumed('G3', { id: 'TransferRequest', description: 'The type of destination decides the shape.' }),
    ),
)
export type TransferRequest = TransferRequestA | TransferRequestB

/** Why a transfer failed. */
const Failure = z
  .looseObject({
    code: openSet(['insufficient_funds', 'recipient_rejected', 'network_unavailable'], 'G4'),
    reason: z.string(),
  })
  .meta(assumed('G4', { id: 'TransferFailure', description: 'Why a transfer failed.' }))

/** A transfer, as the service answers it. */
export const Transfer = z
  .looseObject({
    id: TransferId,
    object: z.literal('transfer').meta(assumed('G4')),
    status: openSet(['pending', 'pending_approval', 'processing', 'settled', 'failed', 'rejected'], 'G9'),
    rail: z.string().meta({ description: 'The rail of shape B, the network of shape A.', 'x-assumed': 'G4' }),
    ledgerState: openSet(['pending', 'matched', 'exception'], 'G9'),
    source: WalletId,
    destination: z.union([
      WalletId,
      z
        .looseObject({ type: z.string(), network: z.string(), phone: z.string().optional() })
        .meta({ description: 'As it was given.' }),
    ]),
    amount: z.union([z.string(), z.number()]).meta({
      description: 'In the form that was given: a string in shape A, a number in shape B.',
      'x-assumed': 'G4',
    }),
    amountMinor: z.int().meta({ description: 'In minor units.', examples: [1050], 'x-assumed': 'G4' }),
    currency: Currency,
    metadata: z.record(z.string(), z.string()).meta({ description: 'Empty where none was given.' }),
    failure: Failure.optional(),
    createdAt: Timestamp.meta(assumed('G4')),
    updatedAt: Timestamp.meta(assumed('G4')),
  })
  .meta(assumed('G11', { id: 'Transfer', description: 'A transfer.' }))
export type Transfer = z.infer<typeof Transfer>
