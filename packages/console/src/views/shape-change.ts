import type { ShapeChange } from 'webhook-inbox'
import type { Resolved } from '../options.js'
import type { ShapeChangeRow } from '../wire.js'
import { isHidden, type MaskAt } from './mask.js'

/** Shape changes contain no values. Below a masked path a key may be a value, so such changes are left out. */
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

function isBelowMask(path: string, mask: MaskAt): boolean {
  const outer = path.replaceAll('[]', '.0').split('.').slice(0, -1)
  // Whether the mask covers a name that was cut is not known.
  if (outer.some((name) => name.endsWith('…'))) {
    return true
  }
  try {
    return isHidden(mask, outer)
  } catch {
    return true
  }
}
