import type { DiscardOptions, Receiver, StoredEvent } from 'webhook-inbox'
import { defineCommand, type Options } from '../command.js'
import { exit, NothingDoneError, UsageError } from '../exit.js'
import { plural } from '../plural.js'
import { printResult } from '../print-result.js'
import { printable } from '../printable.js'
import { asShown } from './as-shown.js'
import { auditOptions, readAudit } from './audit.js'
import { confirm, confirmOptions } from './confirm.js'
import { whyMissing } from './missing-event.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { takeCare } from './take-care.js'

type Kind = DiscardOptions['kind']

export const kindOption = {
  kind: {
    type: 'string',
    value: 'KIND',
    choices: ['event', 'delivery'],
    help: 'What is meant, where an event has the key of a quarantined delivery as its id',
  },
} as const satisfies Options

export const discard = defineCommand({
  usage: 'EVENT_ID|KEY ...',
  about:
    'Deletes dead events by their ids, or quarantined deliveries by their keys. If one of the arguments is neither, it deletes nothing. The store keeps the actor and the reason.',
  positionals: { min: 1, max: 1000 },
  options: { ...kindOption, ...auditOptions, ...confirmOptions, ...receiverOptions },
  examples: [
    ['evt_01K4Z --reason "paid by hand" --receiver src/receiver.ts', 'Asks, then deletes a dead event.'],
    [
      'default/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 --reason "test delivery" --yes --receiver src/receiver.ts',
      'Deletes a quarantined delivery.',
    ],
  ],

  async run({ values, positionals, json, print, world }) {
    const audit = readAudit(values)
    return withReceiver({ values, print, world }, async ({ receiver }) => {
      const kind = values.kind as Kind
      const found = await lookUp(receiver, positionals, kind)
      for (const { id, isDiscardable, what, event } of found) {
        print.note(`${printable(id)}  ${isDiscardable ? what : `rejected: ${what}`}`)
        if (event) {
          await takeCare(receiver, event, print)
        }
      }
      const refused = found.filter(({ isDiscardable }) => !isDiscardable)
      if (refused.length > 0) {
        const told = `nothing was done: ${refused.length} of ${positionals.length} cannot be discarded`
        throw refused.some(({ isUnclear }) => isUnclear) ? new UsageError(told) : new NothingDoneError(told)
      }
      const question = `Delete ${plural(positionals.length, 'event or delivery', 'events or deliveries')}?`
      if (!(await confirm(question, values, { print, world }))) {
        return exit.good
      }
      for (const { id, event } of found) {
        await (event
          ? asShown(receiver, event, (seen) => receiver.discard(id, audit, { kind, ...seen }))
          : receiver.discard(id, audit, { kind }))
        printResult({ id, isDiscarded: true }, `${printable(id)}  discarded`, { print, json })
      }
      return exit.good
    })
  },
})

interface LookedUp {
  readonly id: string
  readonly isDiscardable: boolean
  /** Whether `--kind` must say which of two is meant. */
  readonly isUnclear?: boolean
  /** What it is, or why it cannot be discarded. */
  readonly what: string
  /** The event to delete. Absent for a delivery. */
  readonly event?: StoredEvent
}

async function lookUp(receiver: Receiver, ids: readonly string[], kind: Kind): Promise<LookedUp[]> {
  // Loaded here, so that help does not wait for it.
  const { isDeliveryKey } = await import('webhook-inbox')
  const found: LookedUp[] = []
  for (const id of ids) {
    const event = kind === 'delivery' ? undefined : await receiver.inspect(id)
    const isKey = kind !== 'event' && isDeliveryKey(id, receiver.endpoint)
    const delivery = isKey ? await receiver.inspectQuarantined(id) : undefined
    if (delivery && event) {
      const what = 'it is both an event and a quarantined delivery; say which with --kind'
      found.push({ id, isDiscardable: false, isUnclear: true, what })
    } else if (delivery) {
      found.push({ id, isDiscardable: true, what: `quarantined delivery, ${delivery.code}` })
    } else if (event?.state === 'dead') {
      found.push({ id, isDiscardable: true, what: `dead event, ${event.type}`, event })
    } else {
      const what = event
        ? `it is ${event.state}, and only a dead event can be discarded`
        : ((await whyMissing(receiver, id)) ?? 'no dead event and no quarantined delivery is kept under it')
      found.push({ id, isDiscardable: false, what })
    }
  }
  return found
}
