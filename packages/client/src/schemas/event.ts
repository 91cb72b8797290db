import * as z from 'zod'
import {
  ApprovalUpdatedData,
  ApprovalUpdatedSnakeCaseData,
  LedgerMatchedData,
  LedgerMatchedSnakeCaseData,
  TransferFailedData,
  TransferFailedSnakeCaseData,
  TransferSettledData,
  TransferSettledSnakeCaseData,
} from './event-data.js'
import { EventId } from './identifiers.js'
import { knownEventTypes } from './known-event-types.js'
import { assumed, openSet } from './meta.js'
import { Timestamp } from './timestamp.js'

/** Any type but the known ones, whose data has a shape of its own. */
const otherType = z
  .string()
  .regex(new RegExp(`^(?!(${knownEventTypes.join('|').replaceAll('.', '\\.')})$)[!-~]{1,255}$`))
  .meta({ description: 'Any other event type. The list is open.', examples: ['evidence.exported'] })

const anyData = z.looseObject({})

const environment = openSet(['sandbox', 'pilot', 'production'])
const product = openSet(['mobile_money', 'digital_banking', 'stablecoins'])

/** An event in both representations of the envelope, as `<name>Event` and `<name>SnakeCaseEvent`. */
const both = <Type extends z.ZodType, Data extends z.ZodType, SnakeCaseData extends z.ZodType>(
  name: string,
  type: Type,
  data: Data,
  snakeCaseData: SnakeCaseData,
) =>
  [
    z
      .looseObject({ id: EventId, type, environment, createdAt: Timestamp, data })
      .meta({ id: `${name}Event` }),
    z
      .looseObject({ id: EventId, type, product, created_at: Timestamp, data: snakeCaseData })
      .meta({ id: `${name}SnakeCaseEvent` }),
  ] as const

export const [TransferSettledEvent, TransferSettledSnakeCaseEvent] = both(
  'TransferSettled',
  z.literal('transfer.settled'),
  TransferSettledData,
  TransferSettledSnakeCaseData,
)

export const [TransferFailedEvent, TransferFailedSnakeCaseEvent] = both(
  'TransferFailed',
  z.literal('transfer.failed'),
  TransferFailedData,
  TransferFailedSnakeCaseData,
)

export const [ApprovalUpdatedEvent, ApprovalUpdatedSnakeCaseEvent] = both(
  'ApprovalUpdated',
  z.literal('approval.updated'),
  ApprovalUpdatedData,
  ApprovalUpdatedSnakeCaseData,
)

export const [LedgerMatchedEvent, LedgerMatchedSnakeCaseEvent] = both(
  'LedgerMatched',
  z.literal('ledger.matched'),
  LedgerMatchedData,
  LedgerMatchedSnakeCaseData,
)

export const [OtherEvent, OtherSnakeCaseEvent] = both('Other', otherType, anyData, anyData)

/** An event in camelCase, as it is delivered and as `GET /v1/events` answers it. */
export const ServiceEvent = z
  .union([TransferSettledEvent, TransferFailedEvent, ApprovalUpdatedEvent, LedgerMatchedEvent, OtherEvent])
  .meta(assumed('G20', { id: 'Event', description: 'An event in camelCase.' }))

/** An event whose type the interface names: `type` discriminates its data. */
export type KnownServiceEvent =
  | z.infer<typeof TransferSettledEvent>
  | z.infer<typeof TransferFailedEvent>
  | z.infer<typeof ApprovalUpdatedEvent>
  | z.infer<typeof LedgerMatchedEvent>
export type ServiceEvent = KnownServiceEvent | z.infer<typeof OtherEvent>

/** An event in snake_case, as it is delivered to a subscription with that envelope. */
export const SnakeCaseServiceEvent = z
  .union([
    TransferSettledSnakeCaseEvent,
    TransferFailedSnakeCaseEvent,
    ApprovalUpdatedSnakeCaseEvent,
    LedgerMatchedSnakeCaseEvent,
    OtherSnakeCaseEvent,
  ])
  .meta(assumed('G20', { id: 'SnakeCaseEvent', description: 'An event in snake_case.' }))
export type SnakeCaseServiceEvent = z.infer<typeof SnakeCaseServiceEvent>
