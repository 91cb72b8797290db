import type { Audit, ConfigurationError, Discarded, Receiver, SeenDiscard, SeenRun } from 'webhook-inbox'
import { defineCommand } from '../command.js'
import { exit, NothingDoneError, UsageError } from '../exit.js'
import { plural } from '../plural.js'
import { printResult } from '../print-result.js'
import { printable } from '../printable.js'
import { auditOptions, readAudit } from './audit.js'
import { confirm, confirmOptions } from './confirm.js'
import { kindOption } from './discard.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { lastBy, orNothingDone } from './or-nothing-done.js'
import { resolveAnyRun } from './resolve-id.js'

export const undo = defineCommand({
  usage: 'EVENT_ID|KEY|RUN',
  about:
    'Restores what was discarded in the last minutes (undoSeconds): an event, a quarantined delivery, or all that a run discarded. A run that has not ended is cancelled first. An event that was delivered again does not come back.',
  positionals: { min: 1, max: 1 },
  options: { ...kindOption, ...auditOptions, ...confirmOptions, ...receiverOptions },
  examples: [['evt_01K4Z --reason "wrong event" --receiver src/receiver.ts', 'Asks, then restores it.']],

  async run({ values, positionals: [given = ''], json, print, world }) {
    const audit = readAudit(values)
    return withReceiver({ values, print, world }, async ({ receiver }) => {
      const kind = values.kind as Discarded['kind'] | undefined
      const { id, seen, found } = await lookUp(receiver, given, kind)
      for (const each of found) {
        print.note(describe(each))
      }
      if (found.length === previewed) {
        print.note(`There may be more than these ${previewed}.`)
      }
      if (
        found.length > 0 &&
        seen &&
        'remaining' in seen &&
        seen.remaining > 0 &&
        seen.state !== 'cancelled'
      ) {
        print.note(`The run is ${seen.state}. It is cancelled first, so it discards nothing more.`)
      }
      if (!seen && found.length > 1 && !values['dry-run']) {
        throw new UsageError('it is both an event and a quarantined delivery; say which with --kind')
      }
      if (values['dry-run'] && found.length === 0) {
        print.note(`nothing that was discarded under ${printable(id)} can be restored`)
        return exit.negative
      }
      // With nothing to restore it does not ask, and `undo` says why.
      if (found.length > 0 && !(await confirm(`Restore ${printable(id)}?`, values, { print, world }))) {
        return exit.good
      }
      const undone = await undoAsShown(receiver, { id, seen, kind }, audit)
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

interface Shown {
  readonly id: string
  readonly seen: SeenDiscard | SeenRun | undefined
  readonly kind: Discarded['kind'] | undefined
}

/** Restores only what the operator saw. Throws `NothingDoneError`, which says who was faster. */
async function undoAsShown(receiver: Receiver, { id, seen, kind }: Shown, audit: Audit): Promise<number> {
  const undo = receiver.undo(id, audit, { kind, seen }).catch((error) => {
    const { code, detail } = error as ConfigurationError
    throw code === 'wrong_state' ? new NothingDoneError(detail) : error
  })
  const ofRun = orNothingDone('run_changed', undo, async () => {
    const handle = await receiver.findRun(id)
    const [last] = (await handle?.acts()) ?? []
    return `${id} is ${(await handle?.progress())?.state} now${lastBy(last)}`
  })
  return orNothingDone('discard_changed', ofRun, async () => {
    const { sentence } = await receiver.explain(id)
    return `it was restored and discarded again since you looked: ${sentence.replace(/\.$/, '')}`
  })
}

/** What `undo` would restore, and what to compare it with. The id of a run may be shortened. */
async function lookUp(receiver: Receiver, given: string, kind: Discarded['kind'] | undefined) {
  const find = async (id: string) => {
    const run = kind === undefined ? await (await receiver.findRun(id))?.progress() : undefined
    const found = await receiver.undoable(id, { kind, limit: previewed })
    const seen = run ?? (found.length === 1 ? found[0] : undefined)
    return { id, found, seen }
  }
  const exact = await find(given)
  const mayBeRun = exact.found.length === 0 && given.startsWith('run-')
  return mayBeRun ? find(await resolveAnyRun(receiver, given)) : exact
}

function describe({ kind, key, eventId, undoUntil, isReplaced }: Discarded): string {
  const what = kind === 'event' ? `event ${eventId}` : `quarantined delivery ${key}`
  const fate = isReplaced ? 'stays: it was delivered again' : `can be restored until ${undoUntil}`
  return printable(`${what}  ${fate}`)
}
