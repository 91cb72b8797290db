import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { plural } from '../plural.js'
import { printable } from '../printable.js'
import { auditOptions, readAudit } from './audit.js'
import { confirm, confirmOptions } from './confirm.js'
import { receiverOptions, withReceiver } from './open-receiver.js'

export const discard = defineCommand({
  usage: 'EVENT_ID|KEY ...',
  about:
    'Deletes dead events by their ids, or quarantined deliveries by their keys. Who did it and why is kept.',
  positionals: { min: 1, max: 1000 },
  options: { ...auditOptions, ...confirmOptions, ...receiverOptions },
  examples: [
    ['evt_01K4Z --reason "paid by hand" --receiver src/receiver.ts', 'Asks, then deletes a dead event.'],
    [
      'default/9f86d0 --reason "test delivery" --yes --receiver src/receiver.ts',
      'Deletes a quarantined delivery.',
    ],
  ],

  async run({ values, positionals, json, print, world }) {
    const audit = readAudit(values)
    for (const id of positionals) {
      print.note(printable(id))
    }
    if (
      !(await confirm(
        `Delete ${plural(positionals.length, 'event or delivery', 'events or deliveries')}?`,
        values,
        world,
      ))
    ) {
      return exit.good
    }
    await withReceiver({ values, world }, async ({ receiver }) => {
      for (const id of positionals) {
        await receiver.discard(id, audit)
        if (json || !print.isTerminal) {
          print.json({ id, isDiscarded: true })
        } else {
          print.line(`${printable(id)}  discarded`)
        }
      }
    })
    return exit.good
  },
})
