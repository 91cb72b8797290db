import type { Receiver, StoredEvent } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit, UsageError } from '../exit.js'
import { plural } from '../plural.js'
import { printResult } from '../print-result.js'
import { printable } from '../printable.js'
import { readBytes } from '../read-file.js'
import { asShown } from './as-shown.js'
import { auditOptions, readAudit } from './audit.js'
import { confirm, confirmOptions } from './confirm.js'
import { copiesOf } from './copies-of.js'
import { missingEvent } from './missing-event.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { otherVersion, requireRunBoth, runBothOption } from './other-version.js'
import { expectedState, requireState } from './require-state.js'

export const replayEdited = defineCommand({
  usage: 'EVENT_ID FILE|-',
  about:
    'Runs a changed copy of an event. FILE holds the whole body as JSON, or with --data only its data. The copy is a new event with an id of its own. It names the event as its parent, and nothing about it is signed by the sender. It must pass the checks of a delivery. The event itself stays as it is. To run a copy of a done event without a question, give --state done and --yes. To run it beside another version, or beside an event that still runs by itself, give --run-both and --yes.',
  positionals: { min: 2, max: 2 },
  options: {
    data: { type: 'boolean', help: 'FILE holds only the data of the event' },
    ...expectedState,
    ...runBothOption,
    ...auditOptions,
    ...confirmOptions,
    ...receiverOptions,
  },
  examples: [
    [
      'evt_01K4Z edited.json --reason "wrong account" --receiver src/receiver.ts',
      'Asks, then runs the copy.',
    ],
    [
      'evt_01K4Z - --data --reason "wrong account" --yes --receiver src/receiver.ts < data.json',
      'Runs a copy with other data.',
    ],
  ],

  async run({ values, positionals: [id = '', file = ''], json, print, world }) {
    const audit = readAudit(values)
    const bytes = await readBytes(file, world.stdin)
    return withReceiver({ values, print, world }, async ({ receiver }) => {
      // Checks the queue first, so that an error in its configuration is reported here.
      await receiver.start({ consume: false, announce: false })
      const event = await receiver.inspect(id)
      if (!event) {
        throw await missingEvent(receiver, id)
      }
      const body = values.data ? withData(event, bytes, file) : bytes
      const size = plural(body.length, 'byte')
      print.note(
        `${printable(id)}, ${printable(event.type)}, is ${event.state}. The edited body has ${size}, and its copy gets a new id.`,
      )
      requireState(event, values, world)
      const copies = await copiesOf(receiver, event)
      const danger = await dangerOf(receiver, event)
      requireRunBoth(danger?.fact, event, values, { print, world })
      const question = danger?.question ?? 'Run the copy?'
      if (!(await confirm(question, values, { print, world }))) {
        return exit.good
      }
      const copy = await asShown(receiver, event, (options) =>
        receiver.replayEdited(id, { body }, audit, { ...options, copies }),
      )
      printResult({ id: copy, parent: id }, `${copy}  queued, copy of ${printable(id)}`, { print, json })
      return exit.good
    })
  },
})

interface Danger {
  /** What has run or is to run beside the copy. Absent for a done event, which `--state done` names. */
  readonly fact?: string
  readonly question: string
}

/** Why the copy would repeat the effect of the event; `undefined` if it does not. */
async function dangerOf(receiver: Receiver, event: StoredEvent): Promise<Danger | undefined> {
  const fact = await otherVersion(receiver, event)
  const take = fact && `Take care: ${fact}.`
  if (event.state === 'done') {
    const question = [take, 'The event has run already. Run the copy as well?'].filter(Boolean).join(' ')
    return { ...(fact && { fact }), question }
  }
  if (event.state !== 'dead') {
    const question = 'The event still runs by itself. Give it up first if the copy replaces it. Run both?'
    return { fact: `it is ${event.state} and still runs by itself`, question }
  }
  return fact ? { fact, question: `${take} Run this copy too?` } : undefined
}

/** The body of an event with other data. The data stays text, because `JSON.parse` would round large numbers. */
function withData({ body }: StoredEvent, bytes: Uint8Array, file: string): Uint8Array {
  const data = new TextDecoder().decode(bytes)
  try {
    JSON.parse(data)
  } catch (error) {
    throw new UsageError(`${file === '-' ? 'the input' : file} is not JSON: ${(error as Error).message}`)
  }
  const { data: _, ...envelope } = JSON.parse(new TextDecoder().decode(body))
  return new TextEncoder().encode(`${JSON.stringify(envelope).slice(0, -1)},"data":${data}}`)
}
