import { oneLine } from '../codes.js'
import { PayloadError } from '../errors.js'

/** Deeper nesting is rejected, because it could overflow the stack of a recursive handler. */
export const maxDepth = 64

/** Maximum number of warnings for one event. */
const mostWarnings = 20

/** The state of {@link camelizeKeys} while it walks through a document. */
export class Walk {
  /** The number of keys of all objects. */
  keys = 0
  readonly warnings: string[] = []
  /** The path of keys to the current object. */
  readonly names: string[] = []
  /** Whether `Object.prototype` has an enumerable property. A `for...in` loop would visit it. */
  readonly inherits = inherits()

  /** Adds a warning about a key of the current object. Names keys only, because values belong to the customer. */
  warn(oddity: string): void {
    if (this.warnings.length < mostWarnings) {
      this.warnings.push(oneLine(this.placeOf(oddity)))
    }
  }

  placeOf(name: string): string {
    return [...this.names, name].join('.')
  }
}

function inherits(): boolean {
  for (const _ in {}) {
    return true
  }
  return false
}

/**
 * Renames snake_case keys to camelCase at every depth. An object without such keys is not copied. Keys below `metadata`
 * are free-form and unchanged. A `__proto__` key is dropped with a warning, because `Object.assign` would set a
 * prototype. Throws `PayloadError` `invalid_envelope` if two keys have the same name after the renaming, and
 * `invalid_json` if the nesting is too deep.
 */
export function camelizeKeys(source: object, walk: Walk, depth = 1, rename = true): object {
  if (depth > maxDepth) {
    throw new PayloadError('invalid_json', `nested deeper than ${maxDepth} levels`)
  }
  if (Array.isArray(source)) {
    for (let i = 0; i < source.length; i++) {
      const value: unknown = source[i]
      if (isNested(value)) {
        source[i] = camelizeKeys(value, walk, depth + 1, rename)
      }
    }
    return source
  }

  const fields = source as Fields
  let target = fields
  // `for` `in` is faster than `Object.keys` here.
  for (const key in fields) {
    if (walk.inherits && !Object.hasOwn(fields, key)) {
      continue
    }
    const name = rename ? camelCase(key) : key
    const value = fields[key]
    if (isNested(value)) {
      walk.names.push(name)
      fields[key] = camelizeKeys(value, walk, depth + 1, rename && name !== 'metadata')
      walk.names.pop()
    }
    walk.keys++

    if (target === fields) {
      if (name === key && key !== '__proto__') {
        continue
      }
      target = {}
      for (const earlier in fields) {
        if (earlier === key) {
          break
        }
        target[earlier] = fields[earlier]
      }
    }
    if (key === '__proto__') {
      walk.warn('__proto__ was left out')
    } else if (Object.hasOwn(target, name)) {
      throw new PayloadError('invalid_envelope', `two keys become ${walk.placeOf(name)}`)
    } else {
      target[name] = fields[key]
    }
  }
  return target
}

type Fields = Record<string, unknown>

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

const snakeCase = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/
const names = new Map<string, string>()
const maxNames = 2048
/** Longer keys are not cached, so that the cache stays small. */
const maxNameLength = 64

/** `transfer_id` -> `transferId`. Only snake_case is renamed: `M_PESA`, `_private` and `a__b` are unchanged. */
export function camelCase(key: string): string {
  if (!key.includes('_')) {
    return key
  }
  const known = names.get(key)
  if (known !== undefined) {
    return known
  }
  const name = snakeCase.test(key)
    ? key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : key
  if (names.size < maxNames && key.length <= maxNameLength) {
    names.set(key, name)
  }
  return name
}
