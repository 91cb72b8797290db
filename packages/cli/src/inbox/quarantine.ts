import type { Code } from 'webhook-inbox'
import { defineCommand, type Options } from '../command.js'
import { exit } from '../exit.js'
import { wholeNumber } from '../numbers.js'
import { printList } from '../print-list.js'
import { withoutBody } from './event-columns.js'
import { receiverOptions, withReceiver } from './open-receiver.js'

export const codeOption = {
  code: { type: 'string', value: 'CODE', help: 'Only deliveries that were quarantined with this code' },
} as const satisfies Options

export const quarantine = defineCommand({
  about:
    'Lists authentic deliveries that no retry can help, newest first, with the reason of each. inbox show shows one by its key. inbox discard deletes one by its key. inbox verify-again checks them again.',
  options: {
    ...codeOption,
    limit: { type: 'string', value: 'N', default: '50', help: 'How many at most' },
    'all-endpoints': { type: 'boolean', help: 'Deliveries to every endpoint of the store' },
    ...receiverOptions,
  },
  examples: [['--receiver src/receiver.ts', 'Lists the newest fifty.']],

  async run({ values, json, print, world }) {
    const limit = wholeNumber('limit', values.limit, { min: 1 })
    const allEndpoints = values['all-endpoints']
    const deliveries = await withReceiver({ values, print, world }, ({ receiver }) =>
      receiver.quarantined({ limit, code: values.code as Code | undefined, allEndpoints, bodies: false }),
    )
    printList(
      deliveries.map(withoutBody),
      [
        { title: 'RECEIVED', text: ({ receivedAt }) => receivedAt },
        { title: 'REASON', text: ({ code }) => code },
        { title: 'TIMES', text: ({ deliveries: times }) => times },
        { title: 'EVENT', text: ({ eventId }) => eventId },
        { title: 'KEY', text: ({ key }) => key },
      ],
      { print, json, empty: 'Nothing is in quarantine.' },
    )
    return exit.good
  },
})
