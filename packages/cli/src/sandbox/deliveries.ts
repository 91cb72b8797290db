import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { wholeNumber } from '../numbers.js'
import { printList, printTable } from '../print-list.js'
import { excerpt } from '../printable.js'
import { connect, connectionOptions } from './connection.js'
import { type Attempt, type Delivery, verdictOf } from './records.js'

export const deliveries = defineCommand({
  usage: '[DELIVERY_ID]',
  about: 'Lists deliveries, newest first, or shows one with each attempt and its response.',
  positionals: { min: 0, max: 1 },
  options: {
    event: { type: 'string', value: 'EVENT_ID', help: 'Only those of this event' },
    state: {
      type: 'string',
      value: 'STATE',
      choices: ['pending', 'delivered', 'exhausted', 'canceled'],
      help: 'Only those in this state',
    },
    limit: { type: 'string', value: 'N', default: '20', help: 'How many at most' },
    ...connectionOptions,
  },
  examples: [
    ['', 'The newest twenty.'],
    ['--state exhausted', 'Those that no receiver acknowledged.'],
    ['dlv_01K4Z', 'One with each attempt.'],
  ],

  async run({ values, positionals: [id], json, print, world }) {
    const connection = connect({ values, print, world })
    if (id !== undefined) {
      const delivery = await connection.get<Delivery & { tries: Attempt[] }>(
        `deliveries/${encodeURIComponent(id)}`,
      )
      if (json) {
        print.json(delivery)
      } else {
        print.line(
          `${delivery.eventType}  ${delivery.eventId} -> ${excerpt(delivery.url, 200)}  ${delivery.state}`,
        )
        printTable(
          delivery.tries,
          [
            { title: 'ATTEMPT', text: ({ number }) => number },
            { title: 'STARTED', text: ({ startedAt }) => startedAt },
            { title: 'TOOK', text: ({ timings }) => `${Math.round(timings.ended)} ms` },
            { title: 'VERDICT', text: verdictOf },
            { title: 'RESPONSE', text: ({ response }) => response?.body, isProse: true },
          ],
          print,
        )
      }
      return exit.good
    }
    const limit = String(wholeNumber('limit', values.limit, { min: 1, max: 100 }))
    const query = { limit, eventId: values.event, state: values.state }
    const { data } = await connection.get<{ data: Delivery[] }>('deliveries', query)
    printList(
      data,
      [
        { title: 'CREATED', text: ({ createdAt }) => createdAt },
        { title: 'STATE', text: ({ state }) => state },
        { title: 'ATTEMPTS', text: ({ attempts }) => attempts },
        { title: 'TYPE', text: ({ eventType }) => eventType },
        { title: 'EVENT', text: ({ eventId }) => eventId },
        { title: 'DELIVERY', text: (delivery) => delivery.id },
      ],
      { print, json, empty: 'No delivery matches.' },
    )
    return exit.good
  },
})
