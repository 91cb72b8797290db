import type { Attributes } from '@opentelemetry/api'
import type { ReceiveResult } from '../../result.js'

/** The instrumentation scope: the name of the package. */
export const scope = 'webhook-inbox'

/** The names of our own attributes. They are part of the interface: dashboards and alerts use them. */
export const names = {
  endpoint: 'webhook_inbox.endpoint',
  type: 'webhook_inbox.event.type',
  eventId: 'webhook_inbox.event.id',
  outcome: 'webhook_inbox.outcome',
  code: 'webhook_inbox.code',
  source: 'webhook_inbox.source',
  attempt: 'webhook_inbox.attempt',
  secretIndex: 'webhook_inbox.secret.index',
  direction: 'webhook_inbox.clock.direction',
} as const

/** What an operation of a messaging system is called in the conventions, which are still in development. */
export type Operation = 'send' | 'process' | 'settle'

/** The attributes of the messaging conventions (1.44) for spans and metrics of an operation. */
export const messaging = (operation: Operation, endpoint: string): Attributes => ({
  'messaging.system': 'webhook_inbox',
  'messaging.operation.name': operation,
  'messaging.operation.type': operation,
  'messaging.destination.name': endpoint,
})

/** The `error.type` of a run: its code. `undefined` if it did not fail. */
export const errorType = ({ outcome, code }: Pick<ReceiveResult, 'outcome' | 'code'>) =>
  outcome === 'failed' || outcome === 'rejected' ? code : undefined
