import type { AuditEntry, isDeliveryKey } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { wholeNumber } from '../numbers.js'
import { type Column, printList } from '../print-list.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { resolveAnyRun } from './resolve-id.js'

/** A discard of a quarantined delivery did not touch the stored event of its id. */
function aboutOf(
  { endpoint = '', eventId, subject, run, key = '' }: AuditEntry,
  isDelivery: typeof isDeliveryKey,
): string | undefined {
  return isDelivery(key, endpoint) ? key : (eventId ?? subject ?? run ?? (key || undefined))
}

const columnsOf = (isDelivery: typeof isDeliveryKey): readonly Column<AuditEntry>[] => [
  { title: 'TIME', text: ({ at }) => at },
  { title: 'ACTION', text: ({ action }) => action },
  { title: 'EVENT', text: (entry) => aboutOf(entry, isDelivery) },
  { title: 'BY', text: ({ actor }) => actor },
  { title: 'REASON', text: ({ reason }) => reason, isProse: true },
]

export const audits = defineCommand({
  about: 'Lists what operators did, newest first: the action, who, why and when.',
  options: {
    event: { type: 'string', value: 'EVENT_ID', help: 'Only what was done to this event' },
    run: { type: 'string', value: 'RUN', help: 'Only what this bulk run did, and what was done to it' },
    limit: { type: 'string', value: 'N', default: '50', help: 'How many at most' },
    'all-endpoints': { type: 'boolean', help: 'Of every endpoint of the store' },
    ...receiverOptions,
  },
  examples: [['--event evt_01K4Z --receiver src/receiver.ts', 'Lists what was done to one event.']],

  async run({ values, json, print, world }) {
    const limit = wholeNumber('limit', values.limit, { min: 1 })
    const query = { limit, eventId: values.event, allEndpoints: values['all-endpoints'] }
    const found = await withReceiver({ values, print, world }, async ({ receiver }) => {
      const run = values.run === undefined ? undefined : await resolveAnyRun(receiver, values.run)
      return receiver.audits({ ...query, run })
    })
    // Loaded here, so that help does not wait for it.
    const { isDeliveryKey } = await import('webhook-inbox')
    printList(found, columnsOf(isDeliveryKey), { print, json, empty: 'There is no entry.' })
    return exit.good
  },
})
