import type { ShapeChange, StoredEvent } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { printable } from '../printable.js'
import { inWords } from './attempt-in-words.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { findGroup } from './resolve-id.js'

export const show = defineCommand({
  usage: 'EVENT_ID',
  about:
    'Shows one event with its body and all other stored fields, each attempt that failed, where its handler failed, and how its data differs from that of the last event of its type that succeeded. Prints text, and with --json one document. Exits with 1 if the store does not have the event.',
  positionals: { min: 1, max: 1 },
  options: receiverOptions,
  examples: [
    ['evt_01K4Z --receiver src/receiver.ts', 'Shows the event.'],
    ['evt_01K4Z --receiver src/receiver.ts --json | jq -r .body', 'Prints the body alone.'],
  ],

  async run({ values, positionals: [id = ''], json, print, world }) {
    const found = await withReceiver({ values, print, world }, async ({ receiver }) => {
      const event = await receiver.inspect(id)
      return (
        event && {
          event,
          shapeChanges: await receiver.shapeChanges(id),
          place: event.group && (await findGroup(receiver, event.group))?.place,
        }
      )
    })
    if (!found) {
      print.note(`no event ${printable(id)} is kept`)
      return exit.negative
    }
    const { event, shapeChanges, place } = found
    const record = { ...event, ...bodyOf(event) }
    const { attempts = [] } = event
    if (json) {
      print.json({ ...record, ...(place !== undefined && { place }), shapeChanges })
    } else {
      for (const [name, value] of Object.entries(record)) {
        if (value !== undefined && name !== 'body' && name !== 'attempts') {
          print.line(`${name.padEnd(12)}  ${printable(String(value))}`)
        }
      }
      for (const [at, attempt] of attempts.entries()) {
        print.line(`${'attempts'.padEnd(12)}  ${printable(inWords(attempt, attempts[at - 1]))}`)
      }
      if (place) {
        print.line(`${'place'.padEnd(12)}  ${printable(place)}`)
      }
      for (const change of shapeChanges) {
        print.line(`${'shape'.padEnd(12)}  ${printable(differenceOf(change))}`)
      }
      print.line()
      for (const line of pretty(record.body).split('\n')) {
        print.line(printable(line))
      }
    }
    return exit.good
  },
})

/** How the data differs from that of the last event of its type that succeeded. */
function differenceOf(change: ShapeChange): string {
  switch (change.change) {
    case 'renamed':
      return `${change.path} may have been ${change.before}`
    case 'type':
      return `${change.path} is ${change.type}, was ${change.before}`
    default:
      return `${change.path} is ${change.change} (${change.type})`
  }
}

/** As text, and as base64 too if the text would not be the same bytes. */
function bodyOf({ body }: StoredEvent): { body: string; bodyBase64?: string } {
  const bytes = Buffer.from(body)
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes)
    ? { body: text }
    : { body: text, bodyBase64: bytes.toString('base64') }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
