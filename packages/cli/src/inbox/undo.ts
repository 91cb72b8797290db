import type { ConfigurationError, Discarded, Receiver } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit, NothingDoneError } from '../exit.js'
import { plural } from '../plural.js'
import { printResult } from '../print-result.js'
import { printable } from '../printable.js'
import { auditOptions, readAudit } from './audit.js'
import { confirm, confirmOptions } from './confirm.js'
import { kindOption } from './discard.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { resolveAnyRun } from './resolve-id.js'

export const undo = defineCommand({
  usage: 'EVENT_ID|KEY|RUN',
  about:
    'Restores what was discarded in the last minutes (undoSeconds): an event, a quarantined delivery, or all that a run discarded. An event that was delivered again does not come back.',
  positionals: { min: 1, max: 1 },
  options: { ...kindOption, ...auditOptions, ...confirmOptions, ...receiverOptions },
  examples: [['evt_01K4Z --reason "wrong event" --receiver src/receiver.ts', 'Asks, then restores it.']],

  async run({ values, positionals: [given = ''], json, print, world }) {
    const audit = readAudit(values)
    return withReceiver({ values, print, world }, async ({ receiver }) => {
      const kind = values.kind as Discarded['kind'] | undefined
      const { id, found } = await lookUp(receiver, given, kind)
      for (const each of found) {
        print.note(describe(each))
      }
      if (found.length === previewed) {
        print.note(`There may be more than these ${previewed}.`)
      }
      if (values['dry-run'] && found.length === 0) {
        print.note(`nothing that was discarded under ${printable(id)} can be restored`)
        return exit.negative
      }
      // With nothing to restore it does not ask, and `undo` says why.
      if (found.length > 0 && !(await confirm(`Restore ${printable(id)}?`, values, { print, world }))) {
        return exit.good
      }
      const undone = await receiver.undo(id, audit, { kind }).catch((error) => {
        const { code, detail } = error as ConfigurationError
        throw code === 'invalid_option' ? new NothingDoneError(detail) : error
      })
      printResult({ id, undone }, `${plural(undone, 'event or delivery', 'events or deliveries')} restored`, {
        print,
        json,
      })
      return exit.good
    })
  },
})

/** As many as a person reads before the confirmation. */
const previewed = 20

/** What `undo` would restore. The id of a run may be shortened. */
async function lookUp(receiver: Receiver, given: string, kind: Discarded['kind'] | undefined) {
  const find = async (id: string) => ({ id, found: await receiver.undoable(id, { kind, limit: previewed }) })
  const exact = await find(given)
  const mayBeRun = exact.found.length === 0 && given.startsWith('run-')
  return mayBeRun ? find(await resolveAnyRun(receiver, given)) : exact
}

function describe({ kind, key, eventId, undoUntil, isReplaced }: Discarded): string {
  const what = kind === 'event' ? `event ${eventId}` : `quarantined delivery ${key}`
  const fate = isReplaced ? 'stays: it was delivered again' : `can be restored until ${undoUntil}`
  return printable(`${what}  ${fate}`)
}
