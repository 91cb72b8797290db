import { defineCommand } from '../command.js'
import { exit } from '../exit.js'
import { plural } from '../plural.js'
import { receiverOptions, withReceiver } from './open-receiver.js'

export const prune = defineCommand({
  about:
    'Deletes events and quarantined deliveries that are older than the retention of the receiver. Dead events stay.',
  options: receiverOptions,
  examples: [['--receiver src/receiver.ts', 'Prunes, from a nightly job.']],

  async run({ values, json, print, world }) {
    const count = await withReceiver({ values, print, world }, ({ receiver }) => receiver.prune())
    if (json) {
      print.json({ deleted: count })
    } else {
      print.line(`${plural(count, 'event or delivery', 'events and deliveries')} deleted.`)
    }
    return exit.good
  },
})
