import type { CircuitRow, PauseRow } from '../../src/wire.js'

/** What holds events back. */
export interface Holds {
  readonly circuits: readonly CircuitRow[]
  readonly pauses: readonly PauseRow[]
}

/** Which events are meant. Without types, those of every type. */
export interface Which {
  /** A type may be `transfer.*`. */
  readonly types?: readonly string[] | undefined
  readonly resource?: string | undefined
}

/** Whether a pause holds back every event of the endpoint. */
export const isWhole = ({ type, resource }: PauseRow): boolean => type === undefined && resource === undefined

/** What holds some of these events back. */
export const holdsOf = ({ circuits, pauses }: Holds, which: Which): Holds => ({
  circuits: circuits.filter(({ type }) => isAmong(which.types, type)),
  pauses: pauses.filter((pause) => isPaused(pause, which)),
})

/** As the store decides it: a pause is of one type, of one resource, or of everything. */
function isPaused({ type, resource }: PauseRow, which: Which): boolean {
  if (resource !== undefined) {
    return resource === which.resource
  }
  return type === undefined || isAmong(which.types, type)
}

const isAmong = (types: Which['types'], type: string): boolean =>
  types === undefined ||
  types.some((each) => (each.endsWith('.*') ? type.startsWith(each.slice(0, -1)) : each === type))
