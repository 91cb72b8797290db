import { oneLine } from '../codes.js'
import { PayloadError } from '../errors.js'

/** Deeper nesting is refused: recursion in a handler would be the sender’s to steer. */
export const maxDepth = 64

/** An event that is odd all over is odd in few ways. */
const mostWarnings = 20

/** What {@link camelizeKeys} meets on its way through a document. */
export class Walk {
  /** Keys of all objects. */
  keys = 0
  readonly warnings: string[] = []
  /** Of the objects on the way to where it is. */
  readonly names: string[] = []
  /** Whether somebody has given all objects a property that `for` `in` shows. */
  readonly inherits = inherits()

  /** Notes what is odd about a key where the walk is. Names alone: values are the customer’s. */
  warn(oddity: string): void {
    if (this.warnings.length < mostWarnings) this.warnings.push(oneLine(this.placeOf(oddity)))
  }

  placeOf(name: string): string {
    return [...this.names, name].join('.')
  }
}

function inherits(): boolean {
  for (const _ in {}) return true
  // Stryker disable next-line BooleanLiteral: each key is then looked up in vain, which takes time and changes nothing
  return false
}

/**
 * Renames snake_case keys to camelCase at every depth, in place where nothing changes. Keys below `metadata` are
 * free-form and stay as they are. A `__proto__` key, which pollutes through `Object.assign`, is left out with a warning.
 * Throws `PayloadError` `invalid_envelope` for two keys that would become one, `invalid_json` for deeper nesting.
 */
export function camelizeKeys(source: object, walk: Walk, depth = 1, rename = true): object {
  if (depth > maxDepth) throw new PayloadError('invalid_json', `nested deeper than ${maxDepth} levels`)
  if (Array.isArray(source)) {
    for (let i = 0; i < source.length; i++) {
      const value: unknown = source[i]
      if (isNested(value)) source[i] = camelizeKeys(value, walk, depth + 1, rename)
    }
    return source
  }

  const fields = source as Fields
  let target = fields
  // With `Object.keys` this loop takes half as long again.
  for (const key in fields) {
    if (walk.inherits && !Object.hasOwn(fields, key)) continue
    const name = rename ? camelCase(key) : key
    const value = fields[key]
    if (isNested(value)) {
      walk.names.push(name)
      fields[key] = camelizeKeys(value, walk, depth + 1, rename && name !== 'metadata')
      walk.names.pop()
    }
    walk.keys++

    if (target === fields) {
      if (name === key && key !== '__proto__') continue
      target = {}
      for (const earlier in fields) {
        if (earlier === key) break
        target[earlier] = fields[earlier]
      }
    }
    if (key === '__proto__') walk.warn('__proto__ was left out')
    else if (Object.hasOwn(target, name))
      throw new PayloadError('invalid_envelope', `two keys become ${walk.placeOf(name)}`)
    else target[name] = fields[key]
  }
  return target
}

type Fields = Record<string, unknown>

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

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
