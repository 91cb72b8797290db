import { invalidOption } from '../errors.js'
import { checkText } from './check-values.js'

/** A group or a run as a caller saw it. */
export interface SeenChanges {
  readonly state: string
  readonly changes: number
}

/** Throws `ConfigurationError` `invalid_option` for anything but a group or a run as a list returns it. */
export function checkSeenChanges(seen: SeenChanges | undefined): void {
  if (seen === undefined) {
    return
  }
  checkText('the state that was seen', seen?.state)
  if (!Number.isSafeInteger(seen.changes) || seen.changes < 0) {
    throw invalidOption('the number of changes that was seen must be a whole number, zero or more')
  }
}

/** Whether a group or a run is still as the caller saw it. A driver may return a bigint. */
export const isUnchanged = (
  seen: SeenChanges,
  found: { readonly state: string; readonly changes: number | bigint },
): boolean => found.state === seen.state && Number(found.changes) === seen.changes
