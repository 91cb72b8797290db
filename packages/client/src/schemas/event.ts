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
import { knownEventTypes } from './known-event.js'
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

/** Representation 1 of the envelope. */
const camelCase = <Type extends z.ZodType, Data extends z.ZodType>(id: string, type: Type, data: Data) =>
  z.looseObject({ id: EventId, type, environment, createdAt: Timestamp, data }).meta({ id })

/** Representation 2 of the envelope. */
const snakeCase = <Type extends z.ZodType, Data extends z.ZodType>(id: string, type: Type, data: Data) =>
  z.looseObject({ id: EventId, type, product, created_at: Timestamp, data }).meta({ id })

export const TransferSettledEvent = camelCase(
  'TransferSettledEvent',
  z.literal('transfer.settled'),
  TransferSettledData,
)
export const TransferFailedEvent = camelCase(
  'TransferFailedEvent',
  z.literal('transfer.failed'),
  TransferFailedData,
)
export const ApprovalUpdatedEvent = camelCase(
  'ApprovalUpdatedEvent',
  z.literal('approval.updated'),
  ApprovalUpdatedData,
)
export const LedgerMatchedEvent = camelCase(
  'LedgerMatchedEvent',
  z.literal('ledger.matched'),
  LedgerMatchedData,
)
export const OtherEvent = camelCase('OtherEvent', otherType, anyData)

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

export const TransferSettledSnakeCaseEvent = snakeCase(
  'TransferSettledSnakeCaseEvent',
  z.literal('transfer.settled'),
  TransferSettledSnakeCaseData,
)
export const TransferFailedSnakeCaseEvent = snakeCase(
  'TransferFailedSnakeCaseEvent',
  z.literal('transfer.failed'),
  TransferFailedSnakeCaseData,
)
export const ApprovalUpdatedSnakeCaseEvent = snakeCase(
  'ApprovalUpdatedSnakeCaseEvent',
  z.literal('approval.updated'),
  ApprovalUpdatedSnakeCaseData,
)
export const LedgerMatchedSnakeCaseEvent = snakeCase(
  'LedgerMatchedSnakeCaseEvent',
  z.literal('ledger.matched'),
  LedgerMatchedSnakeCaseData,
)
export const OtherSnakeCaseEvent = snakeCase('OtherSnakeCaseEvent', otherType, anyData)

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
