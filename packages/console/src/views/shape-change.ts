import type { ShapeChange } from 'webhook-inbox'
import type { Resolved } from '../options.js'
import type { ShapeChangeRow } from '../wire.js'

/** Shape changes hold no values. Below a masked path a name may be one, so such changes are left out. */
export const shapeChangeRows = (
  changes: readonly ShapeChange[],
  { mask }: Pick<Resolved, 'mask'>,
): readonly ShapeChangeRow[] =>
  changes
    .filter((change) => {
      const paths = change.change === 'renamed' ? [change.path, change.before] : [change.path]
      return !mask || !paths.some((path) => isBelowMask(path, mask))
    })
    .map((change) => ({
      change: change.change,
      path: change.path,
      ...('before' in change && { before: change.before }),
      type: change.type,
    }))

function isBelowMask(path: string, mask: (path: string, value: unknown) => unknown): boolean {
  const parts = path.replaceAll('[]', '.0').split('.')
  return parts.slice(0, -1).some((_, i) => {
    const above = {}
    try {
      return mask(parts.slice(0, i + 1).join('.'), above) !== above
    } catch {
      return true
    }
  })
}
