import type { Limited } from '../store/flow-store.js'
import type { DueFilter } from '../store/inbox.js'

/**
 * The searches that find due events by priority, highest first. A type without a priority has priority 0. Types and
 * resources at their limit are left out. Without priorities it is one search.
 */
export function searchesOf(
  priorities: Readonly<Record<string, number>>,
  { types, resources }: Limited,
): readonly DueFilter[] {
  const named = Object.keys(priorities).filter((type) => priorities[type] !== 0)
  const exceptResources = resources.length > 0 ? { exceptResources: resources } : {}
  const levels = [...new Set([0, ...named.map((type) => priorities[type] as number)])].sort((a, b) => b - a)
  return levels.flatMap((level) => {
    if (level === 0) {
      const exceptTypes = [...new Set([...named, ...types])]
      return [{ ...(exceptTypes.length > 0 && { exceptTypes }), ...exceptResources }]
    }
    const onlyTypes = named.filter((type) => priorities[type] === level && !types.includes(type))
    return onlyTypes.length > 0 ? [{ onlyTypes, ...exceptResources }] : []
  })
}
