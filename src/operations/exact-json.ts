import { oneLine } from '../codes.js'
import { invalidOption } from '../errors.js'

/** An event never has deeper data. */
const deepest = 500

/**
 * Copies a value that JSON can represent exactly. JSON would change NaN to null and a Map to an empty object. Leaves out
 * properties that are undefined, because a handler reads them as undefined either way. Throws `ConfigurationError`
 * `invalid_option`, which names the place.
 */
export function exactJson(value: unknown, place: string, outer: readonly object[] = []): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') {
    return value
  }
  const isMinusZero = Object.is(value, -0)
  if (Number.isFinite(value) && !isMinusZero) {
    return value
  }
  if (typeof value !== 'object') {
    const name = typeof value === 'number' ? String(value) : `a ${typeof value}`
    throw refused(place, `is ${isMinusZero ? '-0' : name}, which JSON cannot hold`)
  }
  if (outer.includes(value) || outer.length >= deepest) {
    throw refused(place, 'contains itself, or is too deep')
  }
  const within = [...outer, value]
  if (Array.isArray(value)) {
    // The other key is its length.
    if (Reflect.ownKeys(value).length > value.length + 1) {
      throw refused(place, 'is a list with a property of its own, which JSON leaves out')
    }
    return Array.from(value, (item, index) => exactJson(item, `${place}[${index}]`, within))
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw refused(place, 'is an object of a class, which JSON cannot hold')
  }
  if (Reflect.ownKeys(value).length !== Object.keys(value).length) {
    throw refused(
      place,
      'has a symbol as a name, or a property that is not enumerable, which JSON leaves out',
    )
  }
  // The object has no prototype, so __proto__ is an ordinary key.
  const copy: Record<string, unknown> = Object.create(null)
  for (const [name, property] of Object.entries(value)) {
    if (property !== undefined) {
      copy[name] = exactJson(property, `${place}.${name}`, within)
    }
  }
  return copy
}

/** The names of the user's properties are part of the place. */
const refused = (place: string, why: string) => invalidOption(`${oneLine(place, 200)} ${why}`)
