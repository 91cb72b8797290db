import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { wholeNumber } from '../numbers.js'
import { printable } from '../printable.js'
import { connect, connectionOptions } from './connection.js'
import type { Delivery } from './records.js'

export const replay = defineCommand({
  usage: 'EVENT_ID',
  about:
    'Delivers an event again: same id, same bytes. Exits with 0 where every delivery was acknowledged, with 1 otherwise.',
  positionals: { min: 1, max: 1 },
  options: {
    times: {
      type: 'string',
      value: 'N',
      default: '1',
      help: 'Deliver it this many times to each subscription',
    },
    concurrent: { type: 'boolean', help: 'Deliver all of them at the same time' },
    signature: {
      type: 'string',
      value: 'KIND',
      choices: ['fresh', 'original'],
      default: 'fresh',
      help: 'Sign anew, or send the signature of the first attempt',
    },
    'new-id': { type: 'boolean', help: 'Send a copy of the event with a new id' },
    ...connectionOptions,
  },
  examples: [
    ['evt_01K4Z', 'Delivers the event again with a fresh signature.'],
    ['evt_01K4Z --times 8 --concurrent', 'Eight deliveries at the same moment: the receiver must act once.'],
    ['evt_01K4Z --signature original', 'As an attacker replays it, once the tolerance has passed.'],
  ],

  async run({ values, positionals: [id = ''], json, print, world }) {
    const { times, concurrent, signature, 'new-id': newId } = values
    const { data } = await connect({ values, print, world }).send<{ data: Delivery[] }>(
      'POST',
      `events/${encodeURIComponent(id)}/replay`,
      { times: wholeNumber('times', times, { min: 1 }), concurrent, signature, newId },
    )
    for (const delivery of data) {
      if (json) {
        print.json(delivery)
      } else {
        print.line(`${delivery.state.padEnd(10)}  ${delivery.id}  ${printable(delivery.url)}`)
      }
    }
    if (data.length === 0) {
      print.note('No subscription wants this event.')
    }
    return data.every(({ state }) => state === 'delivered') ? exit.good : exit.negative
  },
})
