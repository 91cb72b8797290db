import { codes } from 'webhook-inbox'
import type { Advice } from '../wire.js'

interface Entry extends Advice {
  readonly fact: string
}

/**
 * The code has the same words, and those for events. Only a number brings `invalid_data` to the quarantine: an event whose data does
 * not fit its schema is dead.
 */
const ofDeliveries: Readonly<Record<string, Entry>> = {
  invalid_data: {
    fact: 'JavaScript cannot represent a number exactly',
    cause: 'a number is too large or too precise',
    fix: "ask the sender to send large numbers as strings; if a rounded number is good enough, set inexactNumbers to 'round' and verify the delivery again",
  },
  handler_failed: {
    ...codes.handler_failed,
    fix: 'fix the function that the log of the program names, then verify the delivery again',
  },
}

/** Who reads it here looks at events that failed or are dead. The advice of the code itself is also for a sender that waits. */
const ofEvents: Readonly<Record<string, Entry>> = {
  ...codes,
  handler_failed: {
    ...codes.handler_failed,
    fix: 'fix the code that the error names, then replay the events that are dead; those that failed are retried by themselves',
  },
}
const ofAll = { ...ofEvents, ...ofDeliveries }

/** The fact behind a code, as a sentence without its dot; `undefined` for a code of another version. */
export function factOf(code: string, isDelivery: boolean): string | undefined {
  const fact = entryOf(code, isDelivery)?.fact
  return fact && `${fact.charAt(0).toUpperCase()}${fact.slice(1)}`
}

/** Why a failure of this code usually happens, and what to do about it; `undefined` for a code of another version. */
export function adviceFor(code: string, isDelivery: boolean): Advice | undefined {
  const entry = entryOf(code, isDelivery)
  return entry && { cause: entry.cause, fix: entry.fix }
}

function entryOf(code: string, isDelivery: boolean): Entry | undefined {
  const entries = isDelivery ? ofAll : ofEvents
  return Object.hasOwn(entries, code) ? entries[code] : undefined
}
