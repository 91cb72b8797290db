import * as z from 'zod'
import { Currency, GivenCurrency } from './currency.js'
import { CustomerId, givenId, WalletId } from './identifiers.js'
import { assumed, openSet } from './meta.js'
import { Money } from './money.js'
import { Timestamp } from './timestamp.js'

/** Body of `POST /v1/wallets`. */
export const WalletRequest = z
  .strictObject({ owner: givenId(CustomerId, 'cus_<id>'), currency: GivenCurrency })
  .meta({ id: 'WalletRequest', description: 'A wallet is denominated in one currency.' })
export type WalletRequest = z.input<typeof WalletRequest>

/** What a wallet holds, in its currency. */
export const Balance = z
  .looseObject({
    available: Money.meta({ description: 'What a transfer can spend now.' }),
    pending: Money.meta({ description: 'What transfers under way have reserved.' }),
  })
  .meta(assumed('G2', { id: 'Balance', description: 'What a wallet holds, in its currency.' }))
export type Balance = z.infer<typeof Balance>

/** A wallet, as the service answers it. */
export const Wallet = z
  .looseObject({
    id: WalletId,
    object: z.literal('wallet').meta(assumed('G2')),
    owner: CustomerId,
    currency: Currency,
    status: openSet(['active'], 'G2'),
    balance: Balance,
    createdAt: Timestamp.meta(assumed('G2')),
  })
  .meta(assumed('G10', { id: 'Wallet', description: 'A wallet.' }))
export type Wallet = z.infer<typeof Wallet>
