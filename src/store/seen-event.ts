import { invalidOption } from '../errors.js'
import { checkText } from './check-values.js'
import type { SeenEvent } from './inbox-event.js'

/** Throws `ConfigurationError` `invalid_option` for anything but an event as `list` returns it. */
export function checkSeen(seen: SeenEvent | undefined): void {
  if (seen === undefined) {
    return
  }
  checkText('the state that was seen', seen?.state)
  if (!Number.isSafeInteger(seen.generation) || seen.generation < 0) {
    throw invalidOption('the generation that was seen must be a whole number, zero or more')
  }
}

/** Throws `ConfigurationError` `invalid_option` for anything but a list of ids. */
export function checkCopies(copies: unknown): void {
  if (copies !== undefined && !(Array.isArray(copies) && copies.every((id) => typeof id === 'string'))) {
    throw invalidOption('copies must be a list of ids')
  }
}

/** Whether an event is still as the caller saw it. A driver may return a bigint for the generation. */
export const isAsSeen = (
  seen: SeenEvent,
  found: { readonly state: string; readonly generation: number | bigint },
): boolean => found.state === seen.state && Number(found.generation) === seen.generation
