import type { Resolved } from '../options.js'
import { hiddenValues, withoutHidden } from './hidden-values.js'

/** Why a body is rejected, without its masked values. */
export function shownReason(
  { code, detail }: { readonly code: string; readonly detail?: string },
  body: Uint8Array,
  { mask }: Pick<Resolved, 'mask'>,
) {
  const hidden = detail === undefined ? [] : hiddenValues(body, mask)
  return { code, ...(detail !== undefined && { detail: withoutHidden(detail, hidden) }) }
}

/** A warning names fields, and the name of a field can be a masked value. */
export function shownWarnings(
  warnings: readonly string[],
  body: Uint8Array,
  { mask }: Pick<Resolved, 'mask'>,
): readonly string[] {
  const hidden = warnings.length > 0 ? hiddenValues(body, mask) : []
  return warnings.map((warning) => withoutHidden(warning, hidden))
}
