import * as z from 'zod'
import { ApprovalId, TransferId } from './identifiers.js'
import { assumed, openSet } from './meta.js'
import { Timestamp } from './timestamp.js'

/** The decision that a transfer waits for. */
export const Approval = z
  .looseObject({
    id: ApprovalId,
    object: z.literal('approval'),
    transferId: TransferId,
    status: openSet(['pending', 'approved', 'rejected'], 'G6'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta(assumed('G6', { id: 'Approval', description: 'The decision that a transfer waits for.' }))
export type Approval = z.infer<typeof Approval>
