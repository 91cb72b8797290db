import type { Receiver, StoredEvent } from 'webhook-inbox'
import type { Options } from '../command.js'
import { UsageError } from '../exit.js'
import { printable } from '../printable.js'
import type { Printer } from '../printer.js'
import type { World } from '../world.js'
import { nothingDone } from './or-nothing-done.js'

export const runBothOption = {
  'run-both': { type: 'boolean', help: 'Act although the original or an edited copy is done or is to run' },
} as const satisfies Options

/** Says that the original or an edited copy of an event is done, or is to run. `undefined` if there is none. */
export async function otherVersion(
  receiver: Receiver,
  { id, root }: Pick<StoredEvent, 'id' | 'root'>,
): Promise<string | undefined> {
  if (root === undefined) {
    return undefined
  }
  const versions = await receiver.list({ root, order: 'newest', bodies: false })
  const other = versions.find((each) => each.id !== id && each.state !== 'dead')
  return (
    other && `its ${other.id === root ? 'original' : 'edited copy'} ${printable(other.id)} is ${other.state}`
  )
}

interface Given {
  readonly 'run-both': boolean
  readonly yes: boolean
  readonly 'dry-run': boolean
}

/**
 * Names what else has run or is to run beside a replay. Throws `NothingDoneError` unless a person is asked or `--run-both` is
 * given: two versions of an event could both move money, and `--yes` answers every question.
 */
export function requireRunBoth(
  fact: string | undefined,
  { id, state }: Pick<StoredEvent, 'id' | 'state'>,
  values: Given,
  { print, world }: { readonly print: Pick<Printer, 'warn'>; readonly world: Pick<World, 'stdin'> },
): void {
  // A terminal shows the fact in the question.
  const isAsked = !values.yes && !values['dry-run'] && world.stdin.isTTY
  if (fact === undefined || isAsked) {
    return
  }
  // `--state done` says already that effects are to be repeated.
  const isAgreed = values['run-both'] || values['dry-run'] || state === 'done'
  if (!isAgreed) {
    throw nothingDone(`${id} was not run: ${fact}, so both would run; to do so, add --run-both --yes`)
  }
  print.warn(`${printable(id)}: ${fact}`)
}

/** A replay of many events leaves such events out. */
export function rejectRunBoth(values: Given): void {
  if (values['run-both']) {
    throw new UsageError('--run-both is for one event: name its id')
  }
}
