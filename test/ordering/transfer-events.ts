import type { WebhookEvent } from '../../src/event/event.js'
import { lifecycle } from '../../src/ordering/lifecycle.js'

export const transfers = lifecycle({
  pending: ['pending_approval', 'processing'],
  pending_approval: ['processing', 'rejected'],
  processing: ['settled', 'failed'],
  settled: ['reversed'],
  failed: [],
  rejected: [],
  reversed: [],
})

export type Transfer = { transferId: string; status: string }

export type Event = WebhookEvent<string, Transfer>
