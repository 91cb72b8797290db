import { type Case, type Group, groups } from './case.js'
import { casesByGroup } from './cases/index.js'

/** Which cases run, by id or group. */
export interface Selection {
  /** Only these. Default: all. */
  readonly only?: readonly string[]
  /** Not these. Default: none. */
  readonly skip?: readonly string[]
}

/** A case with its group. */
export type Selected = Case & { readonly group: Group }

/** A name that is neither a case nor a group. */
export class UnknownCaseError extends Error {
  readonly given: string
  /** Every valid name. */
  readonly known: readonly string[]

  constructor(given: string, known: readonly string[]) {
    super(`there is no case or group named ${given}`)
    this.given = given
    this.known = known
  }
}

/** The cases to run, in order. Throws {@link UnknownCaseError}. */
export function selectCases({ only, skip = [] }: Selection = {}): Selected[] {
  const all = groups.flatMap((group) => casesByGroup[group].map((each) => ({ ...each, group })))
  const known = [...groups, ...all.map(({ id }) => id)]
  for (const name of [...(only ?? []), ...skip]) {
    if (!known.includes(name)) {
      throw new UnknownCaseError(name, known)
    }
  }
  const isIn = (names: readonly string[], { id, group }: Selected) =>
    names.includes(id) || names.includes(group)
  return all.filter((each) => (!only || isIn(only, each)) && !isIn(skip, each))
}
