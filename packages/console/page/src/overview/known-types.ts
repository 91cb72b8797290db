import type { GroupRow, Page, SourcesView } from '../../../src/wire.js'
import { can, may } from '../me.js'
import { useView } from '../use-view.js'

interface KnownTypes {
  /** Sorted. */
  readonly types: readonly string[]
  readonly isReading: boolean
  /** Whether there may be types that are not in the list. */
  readonly isCapped: boolean
}

/** The types that have come here lately, and those that failed. It reads nothing unless `isAsked`. */
export function useKnownTypes(isAsked: boolean): KnownTypes {
  const hasSources = isAsked && can('statistics') && may('overview:read')
  const hasCauses = isAsked && can('failures') && may('events:read')
  const sources = useView<SourcesView>(hasSources ? 'sources' : undefined)
  const causes = useView<Page<GroupRow>>(hasCauses ? 'groups?limit=50' : undefined)
  const known = new Set([
    ...(causes.value?.rows.flatMap(({ types }) => types) ?? []),
    ...(sources.value?.sources.flatMap(({ type }) => type ?? []) ?? []),
  ])
  return {
    types: [...known].sort(),
    isReading: hasSources && sources.value === undefined && sources.error === undefined,
    isCapped: sources.value?.isCapped !== false,
  }
}

/** Why a type that was typed may be wrong; `undefined` for a known one. */
export function doubtOf(type: string, { types, isReading, isCapped }: KnownTypes): string | undefined {
  if (isReading || types.includes(type)) {
    return undefined
  }
  return isCapped
    ? 'This type is not in the list of known types, which is not complete. Check the spelling.'
    : 'No event of this type is known here. Check the spelling.'
}
