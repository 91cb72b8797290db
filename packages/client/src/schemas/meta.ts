import * as z from 'zod'

/** A gap of the published interface, by its number in the contract. */
export type Gap = `G${number}` | `I${number}`

/** What OpenAPI shows beside a schema. */
interface Shown {
  readonly id?: string
  readonly description?: string
  readonly examples?: unknown[]
}

/**
 * Marks what the interface does not publish: `.meta(assumed('G2', { description: '...' }))`. The mark is `x-assumed` in
 * the OpenAPI document.
 */
export const assumed = (gap: Gap, shown: Shown = {}) => ({ ...shown, 'x-assumed': gap })

/**
 * A string with known values, of which there may be more tomorrow: any string passes. Its type still completes the
 * known values in an editor.
 */
export function openSet<const Value extends string>(values: readonly Value[], gap?: Gap) {
  type Open = Value | (string & {})
  const schema = z.string().meta({
    description: `Known values: ${values.join(', ')}. Others may follow.`,
    examples: [...values],
    ...(gap && { 'x-assumed': gap }),
  })
  return schema as unknown as z.ZodType<Open, Open>
}
