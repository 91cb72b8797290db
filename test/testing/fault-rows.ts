import type { Fault } from './call-fault.js'

export interface FaultRow extends Fault {
  /** A part of what the law says. */
  readonly says: string
}

/**
 * Reads faults, by law. A line that is not indented is the name of a law. The lines below it are its faults: a call, what is wrong
 * in it, and after a `|` a part of what the law says.
 *
 * @example
 * an accepted event runs once and is then done
 *   once => another state, more attempt
 *   due 100000 => longer | held under a claim
 */
export function faultRows(text: string): Record<string, FaultRow[]> {
  const laws: Record<string, FaultRow[]> = {}
  let rows: FaultRow[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('#') || line.trim() === '') {
      continue
    }
    if (!line.startsWith(' ')) {
      rows = []
      laws[line] = rows
      continue
    }
    const [call = '', rest = ''] = line.trim().split(' => ')
    const [changes = '', says = ''] = rest.split(' | ')
    rows.push(...changes.split(', ').map((change) => ({ call, change, says })))
  }
  return laws
}
