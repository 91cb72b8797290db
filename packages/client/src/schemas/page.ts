import * as z from 'zod'
import { assumed } from './meta.js'

/** Query of each list. */
export const PageQuery = z.object({
  limit: z.coerce
    .number('must be a whole number from 1 to 100')
    .int('must be a whole number from 1 to 100')
    .min(1, 'must be at least 1')
    .max(100, 'must be at most 100')
    .default(20)
    .meta(assumed('G15', { description: 'Items on a page: 1 to 100.' })),
  cursor: z
    .string()
    .max(255, 'must have at most 255 characters')
    .optional()
    .meta(assumed('G15', { description: 'The nextCursor of the page before.' })),
})
export type PageQuery = z.infer<typeof PageQuery>

/** A page of a list: `pageOf(Wallet, 'WalletPage')`. */
export const pageOf = <Item extends z.ZodType>(item: Item, id: string) =>
  z
    .looseObject({
      data: z.array(item),
      hasMore: z.boolean(),
      nextCursor: z.string().nullable().meta({ description: 'null on the last page.' }),
    })
    .meta(assumed('G15', { id, description: 'A page of a list.' }))

/** A page of a list. */
export interface Page<Item> {
  readonly data: Item[]
  readonly hasMore: boolean
  readonly nextCursor: string | null
}
