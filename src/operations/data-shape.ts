/**
 * A place in the data of an event, with the places inside it. A shape is the outermost place. It repeats no key: a sender may
 * put thousands of fields below a key of a megabyte.
 */
export interface Place {
  /** Absent for the data itself. */
  readonly outer?: Place
  /** `.name` for a field, `[]` for the elements of an array, which share one place. */
  readonly step: string
  type: string
  readonly inner: Map<string, Place>
}

/** Limits for the depth and for the number of places, so that large data takes no longer. */
const deepest = 12
const mostPlaces = 2000
/** How many characters of a name are shown. */
const longestName = 100

/** The places of the data, the outer ones first. */
export function shapeOf(data: unknown): Place {
  const shape: Place = { step: 'data', type: typeOf(data), inner: new Map() }
  let places = 1
  const waiting: [place: Place, value: unknown, depth: number][] = [[shape, data, 0]]
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [outer, value, depth] = next
    if (depth === deepest || typeof value !== 'object' || value === null) {
      continue
    }
    const isList = Array.isArray(value)
    for (const [name, part] of Object.entries(value).slice(0, mostPlaces - waiting.length)) {
      const step = isList ? '[]' : `.${name}`
      const type = typeOf(part)
      let place = outer.inner.get(step)
      if (!place) {
        if (places === mostPlaces) {
          return shape
        }
        places += 1
        place = { outer, step, type, inner: new Map() }
        outer.inner.set(step, place)
      } else if (place.type !== type) {
        place.type = 'several types'
      }
      waiting.push([place, part, depth + 1])
    }
  }
  return shape
}

function typeOf(value: unknown): string {
  if (value === null) {
    return 'null'
  }
  return Array.isArray(value) ? 'array' : typeof value
}

/** Whether a place is a field of an object, and not the elements of an array. */
export const isField = ({ step }: Place): boolean => step !== '[]'

/** The place in this shape that a place of another shape corresponds to. */
export const sameIn = (shape: Place, { outer, step }: Place): Place | undefined =>
  outer ? sameIn(shape, outer)?.inner.get(step) : shape

/** Places that both shapes have, the outer ones first. */
export function pairsOf(one: Place, other: Place): (readonly [one: Place, other: Place])[] {
  const pairs: (readonly [one: Place, other: Place])[] = [[one, other]]
  // It also visits the pairs that it adds.
  for (const [place, same] of pairs) {
    for (const [step, inner] of place.inner) {
      const match = same.inner.get(step)
      if (match) {
        pairs.push([inner, match])
      }
    }
  }
  return pairs
}

/** The places directly in one place that another one does not have. */
export const onlyIn = (place: Place, other: Place): Place[] =>
  [...place.inner.values()].filter(({ step }) => !other.inner.has(step))

/** These places and all inside them, the outer ones first. */
export function withInner(places: readonly Place[]): Place[] {
  const all = [...places]
  // It also visits the places that it adds.
  for (const { inner } of all) {
    all.push(...inner.values())
  }
  return all
}

/** Such as `data.lines[].amount`. A long name is cut and ends with an ellipsis. */
export function pathOf({ outer, step }: Place): string {
  const shown = step.length > longestName ? `${step.slice(0, longestName)}…` : step
  return outer ? pathOf(outer) + shown : shown
}
