import { defineCommand } from '../command.js'
import { exit, UsageError } from '../exit.js'
import { plural } from '../plural.js'
import { printable } from '../printable.js'
import { auditOptions, readAudit } from './audit.js'
import { confirm, confirmOptions } from './confirm.js'
import { receiverOptions, withReceiver } from './open-receiver.js'

export const undo = defineCommand({
  usage: 'EVENT_ID|KEY|RUN',
  about:
    'Brings back what was discarded in the last minutes (undoSeconds): an event, a quarantined delivery, or all that a run discarded. An event that was delivered again does not come back.',
  positionals: { min: 1, max: 1 },
  options: { ...auditOptions, ...confirmOptions, ...receiverOptions },
  examples: [['evt_01K4Z --reason "wrong event" --receiver src/receiver.ts', 'Asks, then brings it back.']],

  async run({ values, positionals: [id = ''], json, print, world }) {
    const audit = readAudit(values)
    return withReceiver({ values, print, world }, async ({ receiver }) => {
      if (!(await confirm(`Bring back ${printable(id)}?`, values, { print, world }))) {
        return exit.good
      }
      const undone = await receiver.undo(id, audit).catch((error) => {
        throw (error as { code?: unknown }).code === 'invalid_option'
          ? new UsageError((error as Error).message)
          : error
      })
      if (json || !print.isTerminal) {
        print.json({ id, undone })
      } else {
        print.line(`${plural(undone, 'event or delivery', 'events or deliveries')} came back`)
      }
      return exit.good
    })
  },
})
