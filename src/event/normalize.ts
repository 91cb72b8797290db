import { PayloadError } from '../errors.js'

/** Deeper nesting is refused: recursion in a handler would be the sender’s to steer. */
export const maxDepth = 64

/**
 * Renames snake_case keys to camelCase at every depth, in place where nothing changes. Keys below `metadata` are
 * free-form and stay as they are. A `__proto__` key, which pollutes through `Object.assign`, is left out with a warning.
 * Throws `PayloadError` `invalid_envelope` for two keys that would become one, `invalid_json` for deeper nesting.
 */
export function camelizeKeys(
  value: unknown,
  path: string,
  depth: number,
  warnings: string[],
  rename = true,
): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) throw new PayloadError('invalid_json', `nested deeper than ${maxDepth} levels`)
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++)
      value[i] = camelizeKeys(value[i], path, depth + 1, warnings, rename)
    return value
  }

  const source = value as Record<string, unknown>
  const keys = Object.keys(source)
  const intact = !keys.some((key) => key === '__proto__' || (rename && camelCase(key) !== key))
  const target: Record<string, unknown> = intact ? source : {}
  for (const key of keys) {
    if (key === '__proto__') {
      warnings.push(`${path}.__proto__ was left out`)
      continue
    }
    const name = rename ? camelCase(key) : key
    if (!intact && Object.hasOwn(target, name)) {
      throw new PayloadError('invalid_envelope', `two keys of ${path} become ${name}`)
    }
    target[name] = camelizeKeys(
      source[key],
      `${path}.${name}`,
      depth + 1,
      warnings,
      rename && name !== 'metadata',
    )
  }
  return target
}

const snakeCase = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/
const names = new Map<string, string>()
const maxNames = 2048
/** Longer keys are rare; remembered, a few thousand of them could hold gigabytes. */
const maxNameLength = 64

/** `transfer_id` -> `transferId`. Only true snake_case is renamed: `M_PESA`, `_private` and `a__b` stay. */
export function camelCase(key: string): string {
  // Stryker disable next-line ConditionalExpression,StringLiteral: spares the search for what is not there
  if (!key.includes('_')) return key
  const known = names.get(key)
  // Stryker disable next-line ConditionalExpression: what is remembered is what would come out again
  if (known !== undefined) return known
  const name = snakeCase.test(key)
    ? key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : key
  // Stryker disable next-line all: how much is remembered changes the time and the memory, not the name
  if (names.size < maxNames && key.length <= maxNameLength) names.set(key, name)
  return name
}
