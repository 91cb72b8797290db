import type { AuditEntry, InspectedQuarantine, Receiver } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit, UsageError } from '../exit.js'
import { printable } from '../printable.js'
import { kindOption } from './discard.js'
import { whyMissing } from './missing-event.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { printDelivery, printEvent, type ShownEvent } from './print-record.js'
import { findGroup } from './resolve-id.js'

export const show = defineCommand({
  usage: 'EVENT_ID|KEY',
  about:
    'Shows one event with its body and all other stored fields, each attempt that failed, where its handler failed, and how its data differs from that of the last event of its type that succeeded. Or shows one quarantined delivery by its key, with its body and what is wrong with it. Prints text, and with --json one document. Exits with 1 if the store has neither.',
  positionals: { min: 1, max: 1 },
  options: { ...kindOption, ...receiverOptions },
  examples: [
    ['evt_01K4Z --receiver src/receiver.ts', 'Shows the event.'],
    ['evt_01K4Z --receiver src/receiver.ts --json | jq -r .body', 'Prints the body alone.'],
  ],

  async run({ values, positionals: [id = ''], json, print, world }) {
    return withReceiver({ values, print, world }, async ({ receiver }) => {
      const event = values.kind === 'delivery' ? undefined : await findEvent(receiver, id)
      const delivery = values.kind === 'event' ? undefined : await findDelivery(receiver, id)
      if (event && delivery) {
        throw new UsageError('it is both an event and a quarantined delivery; say which with --kind')
      }
      if (event) {
        printEvent(event, { print, json })
      } else if (delivery) {
        printDelivery(delivery, { print, json })
      } else {
        print.note((await whyMissing(receiver, id)) ?? (await notKept(receiver, id)))
      }
      return event || delivery ? exit.good : exit.negative
    })
  },
})

async function findEvent(receiver: Receiver, id: string): Promise<ShownEvent | undefined> {
  const event = await receiver.inspect(id)
  return (
    event && {
      event,
      replays: event.generation === 0 ? [] : await replaysOf(receiver, id),
      shapeChanges: await receiver.shapeChanges(id),
      place: event.group && (await findGroup(receiver, event.group))?.place,
    }
  )
}

/** The newest first. A store that keeps no audits cannot say it. */
async function replaysOf(receiver: Receiver, eventId: string): Promise<AuditEntry[]> {
  try {
    const audits = await receiver.audits({ eventId, limit: 20 })
    return audits.filter(({ action }) => action === 'replay')
  } catch (error) {
    // By code and not by class, because the program has its own copy of the toolkit.
    if ((error as { code?: unknown }).code === 'invalid_store') {
      return []
    }
    throw error
  }
}

async function findDelivery(receiver: Receiver, key: string): Promise<InspectedQuarantine | undefined> {
  return (await isKey(receiver, key)) ? receiver.inspectQuarantined(key) : undefined
}

async function notKept(receiver: Receiver, id: string): Promise<string> {
  const what = (await isKey(receiver, id)) ? 'quarantined delivery' : 'event'
  return `no ${what} ${printable(id)} is kept`
}

async function isKey({ endpoint }: Receiver, id: string): Promise<boolean> {
  // Loaded here, so that help does not wait for it.
  const { isDeliveryKey } = await import('webhook-inbox')
  return isDeliveryKey(id, endpoint)
}
