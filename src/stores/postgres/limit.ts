import type { Limits } from './database.js'

/**
 * What limits the transaction it is run in, whichever driver leads there; the two values are in ms, as
 * {@link limitValues} gives them. And it is not compiled: of a large backlog the planner fears more than it reads, and to
 * compile ten rows’ work takes 40 ms.
 */
export const limit = (lock: string, idle: string) => `SELECT set_config('lock_timeout', ${lock}::text, true)
  || set_config('idle_in_transaction_session_timeout', ${idle}::text, true) || set_config('jit', 'off', true)`

export const limitValues = ({ lockSeconds, idleSeconds }: Limits): string[] =>
  [lockSeconds, idleSeconds].map((seconds) => String(ms(seconds)))

/** Milliseconds as a setting of the server, to which 0 would mean for ever. */
export const ms = (seconds: number): number => Math.min(Math.max(1, Math.ceil(seconds * 1000)), 2 ** 31 - 1)
