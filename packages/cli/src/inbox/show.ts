import type { StoredEvent } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { printable } from '../printable.js'
import { receiverOptions, withReceiver } from './open-receiver.js'

export const show = defineCommand({
  usage: 'EVENT_ID',
  about:
    'Shows one event with its body and all other stored fields. Exits with 1 if the store does not have the event.',
  positionals: { min: 1, max: 1 },
  options: receiverOptions,
  examples: [
    ['evt_01K4Z --receiver src/receiver.ts', 'Shows the event.'],
    ['evt_01K4Z --receiver src/receiver.ts --json | jq -r .body', 'Prints the body alone.'],
  ],

  async run({ values, positionals: [id = ''], json, print, world }) {
    const event = await withReceiver({ values, print, world }, ({ receiver }) => receiver.inspect(id))
    if (!event) {
      print.note(`no event ${printable(id)} is kept`)
      return exit.negative
    }
    const record = { ...event, ...bodyOf(event) }
    if (json || !print.isTerminal) {
      print.json(record)
    } else {
      for (const [name, value] of Object.entries(record)) {
        if (value !== undefined && name !== 'body') {
          print.line(`${name.padEnd(12)}  ${printable(String(value))}`)
        }
      }
      print.line()
      for (const line of pretty(record.body).split('\n')) {
        print.line(printable(line))
      }
    }
    return exit.good
  },
})

/** As text, and as base64 too where the text would not be the same bytes. */
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
