import { eventNotFound } from '../errors.js'
import { givenOptions } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import type { StoredEvent } from '../store/inbox.js'
import { isField, onlyIn, type Place, pairsOf, pathOf, sameIn, shapeOf, withInner } from './data-shape.js'
import { eventKey, inboxOf } from './inbox-of.js'

/** How the shape of the data of an event differs. Never contains a value of the data. */
export type ShapeChange =
  | { readonly change: 'missing' | 'added'; readonly path: string; readonly type: string }
  | { readonly change: 'type'; readonly path: string; readonly before: string; readonly type: string }
  /** Probably renamed: a field is missing, and the only new field beside it has the same type. Neither is optional. */
  | { readonly change: 'renamed'; readonly path: string; readonly before: string; readonly type: string }

/** How many changes are returned. */
const mostChanges = 100
/** A field that differs among so many of the newest done events is optional. */
const mostSuccesses = 10

export interface ShapeOperations {
  /**
   * Compares the shape of an event's data with that of the newest done event of its type, or of the event `since`. Lists the
   * fields that are missing, added or renamed, or have another type. Ten done events tell whether a field is optional, so not
   * renamed.
   *
   * Returns at most a hundred changes, and none if no event of its type is done. A name of more than 100 characters is cut, and
   * ends with an ellipsis. Rejects with `event_not_found` for an unknown id.
   */
  shapeChanges(eventId: string, options?: { readonly since?: string | undefined }): Promise<ShapeChange[]>
}

export const shapeOperations = (settings: Settings): ShapeOperations => ({
  async shapeChanges(eventId, options = {}) {
    const { since } = givenOptions('shapeChanges', options, ['since'])
    const event = await readEvent(settings, 'eventId', eventId)
    const chosen = since === undefined ? undefined : await readEvent(settings, 'since', since)
    const { endpoint, type } = event
    const found = await inboxOf(settings).list({
      endpoint,
      type,
      state: 'done',
      order: 'newest',
      limit: mostSuccesses + 1,
    })
    const others = found.filter(({ key }) => key !== event.key && key !== chosen?.key)
    const [good, ...older] = chosen ? [chosen, ...others] : others
    return good ? compareShapes(shapeOf(dataOf(good)), shapeOf(dataOf(event)), shapesOf(older)) : []
  },
})

async function readEvent(settings: Settings, name: string, id: unknown): Promise<StoredEvent> {
  const event = await inboxOf(settings).read(await eventKey(settings, name, id))
  if (!event) {
    throw eventNotFound(id)
  }
  return event
}

/** The differences between the shapes of a successful event and another event. `older` are the shapes of further successes. */
export function compareShapes(before: Place, after: Place, older: Iterable<Place> = []): ShapeChange[] {
  const pairs = pairsOf(before, after)
  const differences = pairs.map(([was, is]) => ({ missing: onlyIn(was, is), added: onlyIn(is, was) }))
  let renames = differences.flatMap(renamesIn)
  for (const shape of older) {
    // Senders of one type fill different optional fields. Such fields come and go without a new name.
    renames = renames.filter(({ from, to }) => sameIn(shape, from) && !sameIn(shape, to))
  }
  const renamed = new Set(renames.flatMap(({ from, to }) => [from, to]))
  const rest = (places: readonly Place[]) => withInner(places.filter((place) => !renamed.has(place)))
  const missing = rest(differences.flatMap((each) => each.missing))
  const added = rest(differences.flatMap((each) => each.added))
  const changes: ShapeChange[] = []
  for (const [was, is] of pairs) {
    if (was.type !== is.type) {
      changes.push({ change: 'type', path: pathOf(is), before: was.type, type: is.type })
    }
  }
  for (const { from, to } of renames) {
    changes.push({ change: 'renamed', path: pathOf(to), before: pathOf(from), type: to.type })
  }
  changes.push(
    ...missing.map((place) => ({ change: 'missing', path: pathOf(place), type: place.type }) as const),
  )
  changes.push(...added.map((place) => ({ change: 'added', path: pathOf(place), type: place.type }) as const))
  return changes.slice(0, mostChanges)
}

interface Difference {
  readonly missing: readonly Place[]
  readonly added: readonly Place[]
}

/** Of each type, a field that is the only missing one and another that is the only added one beside it. */
function renamesIn({ missing, added }: Difference): { readonly from: Place; readonly to: Place }[] {
  // Where a list took the place of an object, its elements are no field with a new name.
  const names = singles(added.filter(isField))
  return [...singles(missing.filter(isField))].flatMap(([type, from]) => {
    const to = names.get(type)
    return from && to ? [{ from, to }] : []
  })
}

/** The only place of each type; `undefined` for a type that several have. */
function singles(places: readonly Place[]): Map<string, Place | undefined> {
  const found = new Map<string, Place | undefined>()
  for (const place of places) {
    found.set(place.type, found.has(place.type) ? undefined : place)
  }
  return found
}

/** Only one of the shapes is in memory at a time. */
function* shapesOf(events: readonly StoredEvent[]): Iterable<Place> {
  for (const event of events) {
    yield shapeOf(dataOf(event))
  }
}

/** The data of the body; `undefined` if it is not an event. */
function dataOf({ body }: StoredEvent): unknown {
  try {
    return (JSON.parse(new TextDecoder().decode(body)) as { readonly data?: unknown }).data
  } catch {
    return undefined
  }
}
