import { type Change, type Json, type Kind, pairs, resolve } from './openapi-document.js'

interface Place {
  readonly old: Json
  readonly next: Json
  readonly at: string
  /** True where a program sends what the schema describes; false where it reads it. */
  readonly isRequest: boolean
}

/** Larger numbers allow more. */
const upperBounds = ['maxLength', 'maxItems', 'maxProperties', 'maximum', 'exclusiveMaximum']
const lowerBounds = ['minLength', 'minItems', 'minProperties', 'minimum', 'exclusiveMinimum']

/** Differences whose effect cannot be told: a program may depend on either. */
const opaque = ['type', 'const', 'pattern', 'format', 'multipleOf', 'not']

/** What differs between two schemas, seen by a program that sends or reads such a value. */
export function compareSchemas(place: Place, before: Json, after: Json, seen = new Set<string>()): Change[] {
  const references = `${before?.$ref} ${after?.$ref}`
  if (before?.$ref && after?.$ref) {
    if (seen.has(references)) {
      return []
    }
    seen = new Set([...seen, references])
  }
  const was = resolve(place.old, before) ?? {}
  const is = resolve(place.next, after) ?? {}
  const below = (at: string, first: Json, second: Json) =>
    compareSchemas({ ...place, at: `${place.at} ${at}` }, first, second, seen)
  return [
    ...keywords(place, was, is),
    ...properties(place, was, is),
    ...pairs(was.properties, is.properties).flatMap(([name, first, second]) =>
      first && second ? below(name, first, second) : [],
    ),
    ...(was.items && is.items ? below('items', was.items, is.items) : []),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((name) => choices(place, name, was[name], is[name], below)),
  ]
}

/** A set that grows breaks who reads it; one that shrinks breaks who sends it. */
const kindOf = ({ isRequest }: Place, allowsMore: boolean): Kind =>
  allowsMore === isRequest ? 'additive' : 'breaking'

function keywords(place: Place, was: Json, is: Json): Change[] {
  const { at } = place
  const changes: Change[] = []
  for (const name of opaque) {
    if (JSON.stringify(was[name]) !== JSON.stringify(is[name])) {
      const what = `${name} was ${JSON.stringify(was[name])} and is ${JSON.stringify(is[name])}`
      changes.push({ kind: 'breaking', at, what })
    }
  }
  for (const [names, most] of [
    [upperBounds, Number.POSITIVE_INFINITY],
    [lowerBounds, Number.NEGATIVE_INFINITY],
  ] as const) {
    for (const name of names) {
      const [first, second] = [was[name] ?? most, is[name] ?? most]
      if (first !== second) {
        const allowsMore = most > 0 ? second > first : second < first
        changes.push({ kind: kindOf(place, allowsMore), at, what: `${name} was ${first} and is ${second}` })
      }
    }
  }
  const [lost, gained] = [minus(was.enum, is.enum), minus(is.enum, was.enum)]
  if (was.enum && is.enum && lost.length > 0) {
    changes.push({ kind: kindOf(place, false), at, what: `has no value ${lost.join(', ')} any more` })
  }
  if (was.enum && is.enum && gained.length > 0) {
    changes.push({ kind: kindOf(place, true), at, what: `has the new value ${gained.join(', ')}` })
  }
  if (Boolean(was.enum) !== Boolean(is.enum)) {
    changes.push({
      kind: kindOf(place, !is.enum),
      at,
      what: is.enum ? 'has few values now' : 'may have any value now',
    })
  }
  return changes
}

function properties(place: Place, was: Json, is: Json): Change[] {
  const { at, isRequest } = place
  const required = (schema: Json, name: string) => schema.required?.includes(name) === true
  return pairs(was.properties, is.properties).flatMap(([name, first, second]): Change[] => {
    const place = `${at} ${name}`
    if (!first) {
      const breaks = isRequest && required(is, name)
      return [
        {
          kind: breaks ? 'breaking' : 'additive',
          at: place,
          what: breaks ? 'is new and required' : 'is new',
        },
      ]
    }
    if (!second) {
      return [{ kind: 'breaking', at: place, what: 'is gone' }]
    }
    if (required(was, name) === required(is, name)) {
      return []
    }
    const what = required(is, name) ? 'is required now' : 'is optional now'
    return [{ kind: required(is, name) === isRequest ? 'breaking' : 'additive', at: place, what }]
  })
}

/** Members of a union have no names, so equal ones are matched first and the rest by their place. */
function choices(
  place: Place,
  name: string,
  was: Json[] | undefined,
  is: Json[] | undefined,
  below: (at: string, first: Json, second: Json) => Change[],
): Change[] {
  const [lost, gained] = [minus(was, is), minus(is, was)]
  // Equal references can stand for schemas that differ.
  const kept = minus(was, lost).flatMap((one) => below(name, one, one))
  const paired = lost
    .slice(0, gained.length)
    .map((one, index) => below(`${name}[${index}]`, one, gained[index]))
  const left = (list: unknown[]) => list.slice(paired.length)
  // All of `allOf` must hold, so one more allows less.
  const isUnion = name !== 'allOf'
  return [
    ...kept,
    ...paired.flat(),
    ...left(lost).map(() => ({
      kind: kindOf(place, !isUnion),
      at: place.at,
      what: `${name} has one choice less`,
    })),
    ...left(gained).map(() => ({
      kind: kindOf(place, isUnion),
      at: place.at,
      what: `${name} has one choice more`,
    })),
  ]
}

/** What the first list has and the second has not. */
function minus(first: Json[] = [], second: Json[] = []): Json[] {
  const texts = new Set(second.map(comparable))
  return first.filter((one) => !texts.has(comparable(one)))
}

/** Without what no program can notice. */
const comparable = (value: Json): string =>
  JSON.stringify(value, (key, entry) =>
    ['description', 'examples', 'title'].includes(key) || key.startsWith('x-') ? undefined : entry,
  )
