import type { StoredEvent } from '../delivery/events.js'
import { type NewEvent, recordEvent } from '../delivery/record-event.js'
import type { Service } from '../service.js'

const settled = { status: 'settled', rail: 'mobile_money', ledgerState: 'matched' }
const failed = {
  status: 'failed',
  rail: 'mobile_money',
  ledgerState: 'pending',
  failureCode: 'network_unavailable',
  failureReason: 'The network did not confirm the payout.',
}

/** Records an event without a state change, for every subscription that wants it. */
export function emit(service: Service, type: string, data: NewEvent['data'] = {}): StoredEvent {
  const event = service.database.transaction(() =>
    recordEvent(service, { type, data: { ...defaultsOf(service, type), ...data } }),
  )()
  service.wake()
  return event
}

/** The default data of a known type. Identifiers are new and belong to no record. */
function defaultsOf({ ids }: Service, type: string): NewEvent['data'] {
  switch (type) {
    case 'transfer.settled':
      return { transferId: ids.next('tr'), ...settled }
    case 'transfer.failed':
      return { transferId: ids.next('tr'), ...failed }
    case 'approval.updated':
      return { approvalId: ids.next('apr'), transferId: ids.next('tr'), status: 'pending' }
    case 'ledger.matched':
      return { transferId: ids.next('tr'), ledgerState: 'matched', journalEntryId: ids.next('je') }
    default:
      return {}
  }
}
