import * as z from 'zod'
import { Currency } from './currency.js'
import { LedgerEntryId, TransferId } from './identifiers.js'
import { assumed } from './meta.js'
import { Money } from './money.js'
import { Timestamp } from './timestamp.js'

/** One journal line. The lines of a transfer add up to zero. */
export const LedgerEntry = z
  .looseObject({
    id: LedgerEntryId,
    transferId: TransferId.optional().meta({ description: 'Absent on an opening balance.' }),
    account: z.string().meta({ description: 'A wallet, or an account of the service.' }),
    amount: Money.meta({ description: 'Signed: negative where money leaves.', examples: ['-10.50'] }),
    currency: Currency,
    createdAt: Timestamp,
  })
  .meta(assumed('G6', { id: 'LedgerEntry', description: 'One journal line.' }))
export type LedgerEntry = z.infer<typeof LedgerEntry>
