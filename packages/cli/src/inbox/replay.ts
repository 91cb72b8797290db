import type { Audit, Receiver, StoredEvent } from 'webhook-inbox'
import { type Call, defineCommand, type Options } from '../command.js'
import { type ExitCode, exit, UnreachableError, UsageError } from '../exit.js'
import { plural } from '../plural.js'
import { printTable } from '../print-list.js'
import { printResult } from '../print-result.js'
import { printable } from '../printable.js'
import { asShown } from './as-shown.js'
import { auditOptions, readAudit } from './audit.js'
import { confirm, confirmOptions } from './confirm.js'
import { copiesOf } from './copies-of.js'
import { eventColumns } from './event-columns.js'
import { type EventFilter, filterOptions, findEvents, readFilter, stateOption, take } from './find-events.js'
import { missingEvent } from './missing-event.js'
import { receiverOptions, withReceiver } from './open-receiver.js'
import { otherVersion, rejectRunBoth, requireRunBoth, runBothOption } from './other-version.js'
import { requireState } from './require-state.js'
import { resolveGroup } from './resolve-id.js'
import { storeFault } from './store-fault.js'
import { takeCare } from './take-care.js'

const options = {
  ...stateOption,
  ...runBothOption,
  ...filterOptions,
  ...auditOptions,
  ...confirmOptions,
  ...receiverOptions,
} as const satisfies Options

export const replay = defineCommand({
  usage: '[EVENT_ID]',
  about:
    'Runs one event again, or all events that match: dead ones, where --state names no other. For several events it shows the first ones and the total number, and asks for confirmation. It leaves out events whose original or edited copy is done or is to run. With an event id, --state names the state in which you saw the event: if it is in another one, nothing is done. To run a done event again without a question, give --state done and --yes. To run an event beside its original or its edited copy without a question, give --run-both and --yes. The queue of your running program runs the events.',
  positionals: { min: 0, max: 1 },
  options,
  examples: [
    [
      'evt_01K4Z --state dead --reason "handler fixed in 1.4.2" --receiver src/receiver.ts',
      'Runs one event again if it is still dead.',
    ],
    [
      '--type transfer.* --since 2d --reason "ledger was down" --receiver src/receiver.ts',
      'Asks, then runs all of these that are dead.',
    ],
    ['--state dead --dry-run --reason "count them" --receiver src/receiver.ts', 'Shows what would be run.'],
  ],

  async run(call) {
    const { values, positionals, print, world } = call
    const [id] = positionals
    const filter = readFilter(values, world.now())
    const audit = readAudit(values)
    const { state, ...others } = filter
    const isFiltered = Object.values(others).some((condition) => condition !== undefined)
    if (id !== undefined && isFiltered) {
      throw new UsageError('give an event id or a filter, not both; --state may be given with an id')
    }
    if (id === undefined && !isFiltered && state === undefined) {
      throw new UsageError('name an event, or say which ones: --state dead')
    }
    if (id === undefined) {
      rejectRunBoth(values)
    }
    return withReceiver({ values, print, world }, async ({ receiver }) => {
      // Checks the queue first, so that an error in its configuration is reported here.
      await receiver.start({ consume: false, announce: false })
      return id === undefined
        ? replayMatching(receiver, { ...filter, state: state ?? 'dead' }, audit, call)
        : replayOne(receiver, id, audit, call)
    })
  },
})

async function replayOne(
  receiver: Receiver,
  id: string,
  audit: Audit,
  call: Call<typeof options>,
): Promise<ExitCode> {
  const { values, print } = call
  const event = await receiver.inspect(id)
  if (!event) {
    throw await missingEvent(receiver, id)
  }
  requireState(event, values, call.world)
  await takeCare(receiver, event, print)
  // Read before the other version, so that a copy that is run meanwhile is a change.
  const copies = await copiesOf(receiver, event)
  const other = await otherVersion(receiver, event)
  requireRunBoth(other, event, values, call)
  const danger = dangerOf(event, other)
  if (danger || values['dry-run']) {
    print.note(`${printable(id)} is ${event.state}.`)
  }
  if (values['dry-run']) {
    return exit.good
  }
  if (danger && !(await confirm(danger, values, call))) {
    return exit.good
  }
  const generation = await asShown(receiver, event, (options) =>
    receiver.replay(id, audit, { ...options, copies }),
  )
  print.note(`${printable(id)} was ${event.state}, and is queued again.`)
  report({ id, generation }, call)
  return exit.good
}

/** Why a replay could repeat effects, as a question; `undefined` if it cannot. */
function dangerOf({ state }: StoredEvent, other: string | undefined): string | undefined {
  const take = other && `Take care: ${other}.`
  if (state === 'done') {
    return [take, 'It has run already. Run it a second time?'].filter(Boolean).join(' ')
  }
  return take && `${take} Run this one too?`
}

/** An event with the ids of its edited copies. */
type WithCopies = StoredEvent & { readonly copies: readonly string[] }

/** Leaves out an event if another version is done or is to run, because a replay of both could act twice. */
async function withoutOtherVersions(
  receiver: Receiver,
  events: readonly StoredEvent[],
  { print }: Call<typeof options>,
): Promise<WithCopies[]> {
  const others: WithCopies[] = []
  for (const event of events) {
    const copies = await copiesOf(receiver, event)
    const copy = await otherVersion(receiver, event)
    if (copy) {
      print.warn(`${printable(event.id)} is left out: ${copy}`)
    } else {
      await takeCare(receiver, event, print)
      others.push({ ...event, copies })
    }
  }
  return others
}

/** As many as a person reads before the confirmation. */
const previewed = 10

/**
 * Replays one event after another, and reports the result of each. `inbox run` does it in the store. For that it needs a store
 * with bulk operations, and a process that has called `start()`.
 */
async function replayMatching(
  receiver: Receiver,
  filter: EventFilter,
  audit: Audit,
  call: Call<typeof options>,
): Promise<ExitCode> {
  const { values, print, json } = call
  // Reads the whole list first, because a replay changes the state of an event, and so the list.
  const group = filter.group && (await resolveGroup(receiver, filter.group))
  const found = await take(findEvents(receiver, { ...filter, group }, print))
  const events = await withoutOtherVersions(receiver, found, call)
  if (!json && print.isTerminal && events.length > 0) {
    printTable(events.slice(0, previewed), eventColumns, print)
    if (events.length > previewed) {
      print.line(`... and ${plural(events.length - previewed, 'event')} more`)
    }
  }
  print.note(`${plural(events.length, 'event')} match${events.length === 1 ? 'es' : ''}.`)
  if (events.length === 0 || !(await confirm(`Replay ${plural(events.length, 'event')}?`, values, call))) {
    return exit.good
  }
  const failed: StoredEvent[] = []
  let unreachable: UnreachableError | undefined
  for (const [index, event] of events.entries()) {
    print.working(`replaying ${index + 1} of ${events.length}`)
    try {
      const { id, copies } = event
      const generation = await asShown(receiver, event, (options) =>
        receiver.replay(id, audit, { ...options, copies }),
      )
      report({ id, generation }, call)
    } catch (error) {
      failed.push(event)
      const fault = storeFault(error)
      unreachable = fault instanceof UnreachableError ? fault : unreachable
      print.warn(`${event.id} was not replayed: ${error instanceof Error ? error.message : error}`)
    }
  }
  if (failed.length > 0) {
    print.note(`${plural(failed.length, 'event')} of ${events.length} not replayed.`)
  }
  if (unreachable) {
    throw unreachable
  }
  return failed.length === 0 ? exit.good : exit.negative
}

function report(
  done: { readonly id: string; readonly generation: number },
  { print, json }: Call<typeof options>,
): void {
  printResult(done, `${printable(done.id)}  queued, replay ${done.generation}`, { print, json })
}
