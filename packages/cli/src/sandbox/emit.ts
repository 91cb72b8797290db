import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { setFields } from '../send/set-fields.js'
import { connect, connectionOptions } from './connection.js'

export const emit = defineCommand({
  usage: 'TYPE',
  about:
    'Emits an event to every subscription that wants it. The data of a known type is completed with defaults. No wallet or transfer changes.',
  positionals: { min: 1, max: 1 },
  options: {
    set: {
      type: 'string',
      value: 'FIELD=VALUE',
      multiple: true,
      help: 'Set a field of data, such as transferId=tr_9. The value is JSON, or else text',
    },
    ...connectionOptions,
  },
  examples: [
    ['transfer.settled', 'Emits transfer.settled, although no transfer has settled.'],
    ['transfer.failed --set transferId=tr_9 --set failureCode=recipient_unreachable', 'Sets fields of data.'],
  ],

  async run({ values, positionals, json, print, world }) {
    for (const field of values.set) {
      // `send --set` begins its paths at the event, and not at its data.
      if (field.startsWith('data.')) {
        print.warn(
          `--set sets fields of data, so this one is data.${pathOf(field)}; did you mean --set ${pathOf(field).slice(5)}=...?`,
        )
      }
    }
    const data = setFields({}, values.set)
    const event = await connect({ values, print, world }).send<{ id: string; type: string }>(
      'POST',
      'events',
      {
        type: positionals[0],
        data,
      },
    )
    if (json) {
      print.json(event)
    } else {
      print.line(`${event.id}  ${event.type}`)
    }
    return exit.good
  },
})

const pathOf = (field: string) => field.split('=', 1)[0] ?? ''
