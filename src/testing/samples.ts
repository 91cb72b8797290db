import type { KnownEvents } from '../event/catalog.js'

/** Sample data for every event type of the service interface. Identifiers derive from the event id, so they are repeatable. */
export const samples: { readonly [Type in keyof KnownEvents]: (suffix: string) => KnownEvents[Type] } = {
  'transfer.settled': (suffix) => ({
    transferId: `tr_${suffix}`,
    status: 'settled',
    rail: 'mobile_money',
    ledgerState: 'matched',
  }),
  'transfer.failed': (suffix) => ({
    transferId: `tr_${suffix}`,
    status: 'failed',
    rail: 'mobile_money',
    failureCode: 'recipient_unreachable',
    failureReason: 'The network did not confirm the payout',
  }),
  'ledger.matched': (suffix) => ({
    transferId: `tr_${suffix}`,
    ledgerState: 'matched',
    journalEntryId: `je_${suffix}`,
  }),
  'approval.updated': (suffix) => ({
    approvalId: `apr_${suffix}`,
    transferId: `tr_${suffix}`,
    status: 'approved',
  }),
}

/** The types that have sample data: every event type of the service interface. */
export const knownTypes = Object.keys(samples) as (keyof KnownEvents)[]

export function sampleData(type: string, eventId: string): object {
  if (!Object.hasOwn(samples, type)) {
    return {}
  }
  return samples[type as keyof KnownEvents](eventId.replace(/^evt_/, ''))
}
