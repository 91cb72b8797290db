import type { AuditEntry, ConflictCode } from 'webhook-inbox'
import { NothingDoneError } from '../exit.js'
import { printable } from '../printable.js'

/**
 * As `change`, but if somebody was faster, which the toolkit says with `code`, throws a `NothingDoneError` with what `sayNow`
 * resolves to.
 */
export async function orNothingDone<T>(
  code: ConflictCode,
  change: Promise<T>,
  sayNow: () => Promise<string>,
): Promise<T> {
  try {
    return await change
  } catch (error) {
    // By code and not by class, because the program has its own copy of the toolkit.
    if ((error as { code?: unknown }).code !== code) {
      throw error
    }
    throw nothingDone(await sayNow())
  }
}

export const nothingDone = (fact: string): NothingDoneError =>
  new NothingDoneError(printable(`${fact}; nothing was done`))

/** Who did it last, when and why. Empty if no audit says it. */
export const lastBy = (last: Pick<AuditEntry, 'actor' | 'at' | 'reason'> | undefined): string =>
  last ? ` by ${last.actor} since ${last.at}: ${last.reason}` : ''
