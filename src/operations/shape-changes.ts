import { invalidOption } from '../errors.js'
import type { Settings } from '../options/settings.js'
import type { StoredEvent } from '../store/inbox.js'
import { eventKey, inboxOf } from './inbox-of.js'

/** How the shape of the data of an event differs. Never contains a value of the data. */
export type ShapeChange =
  | { readonly change: 'missing' | 'added'; readonly path: string; readonly type: string }
  | { readonly change: 'type'; readonly path: string; readonly before: string; readonly type: string }
  /** Probably renamed: a field is missing, and the only new field beside it has the same type. Neither is optional. */
  | { readonly change: 'renamed'; readonly path: string; readonly before: string; readonly type: string }

/** Limits for the depth and for the number of paths, so that large data takes no longer. */
const deepest = 12
const mostPaths = 2000
/** How many changes are returned. */
const mostChanges = 100
/** A field that differs among so many of the newest done events is optional. */
const mostSuccesses = 10

export interface ShapeOperations {
  /**
   * Compares the shape of an event's data with that of the newest done event of its type. Lists the fields that are missing,
   * added or renamed, or have another type. Ten done events tell whether a field is optional, so not renamed.
   *
   * Returns at most a hundred changes, and none if no event of its type is done. Rejects with `invalid_option` for an unknown
   * id.
   */
  shapeChanges(eventId: string): Promise<ShapeChange[]>
}

export const shapeOperations = (settings: Settings): ShapeOperations => ({
  async shapeChanges(eventId) {
    const inbox = inboxOf(settings)
    const event = await inbox.read(await eventKey(settings, 'eventId', eventId))
    if (!event) {
      throw invalidOption(`no event ${eventId} is kept`)
    }
    const { endpoint, type } = event
    const found = await inbox.list({
      endpoint,
      type,
      state: 'done',
      order: 'newest',
      limit: mostSuccesses + 1,
    })
    const [good, ...older] = found.filter(({ key }) => key !== event.key).map((each) => shapeOf(dataOf(each)))
    return good ? compareShapes(good, shapeOf(dataOf(event)), older) : []
  },
})

/** The type at each path. Elements of an array share one path. */
export function shapeOf(data: unknown): Map<string, string> {
  const shape = new Map<string, string>()
  const waiting: [path: string, value: unknown, depth: number][] = [['data', data, 0]]
  for (let next = waiting.shift(); next && shape.size < mostPaths; next = waiting.shift()) {
    const [path, value, depth] = next
    const type = typeOf(value)
    const known = shape.get(path)
    shape.set(path, known === undefined || known === type ? type : 'several types')
    if (depth < deepest && typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value)
      const entries = Object.entries(value).slice(0, mostPaths - waiting.length)
      for (const [name, part] of entries) {
        waiting.push([isList ? `${path}[]` : `${path}.${name}`, part, depth + 1])
      }
    }
  }
  return shape
}

/** The differences between the shapes of a successful event and another event. `older` are the shapes of further successes. */
export function compareShapes(
  before: Map<string, string>,
  after: Map<string, string>,
  older: readonly Map<string, string>[] = [],
): ShapeChange[] {
  const missing = [...before].filter(([path]) => !after.has(path))
  const added = [...after].filter(([path]) => !before.has(path))
  const changes: ShapeChange[] = []
  for (const [path, type] of after) {
    const was = before.get(path)
    if (was !== undefined && was !== type) {
      changes.push({ change: 'type', path, before: was, type })
    }
  }
  const renamed = new Set<string>()
  for (const [path, type] of missing) {
    const isBeside = ([other, its]: [string, string]) => parentOf(other) === parentOf(path) && its === type
    const [to, ...others] = added.filter(isBeside)
    const isOnly = others.length === 0 && missing.filter(isBeside).length === 1
    // Senders of one type fill different optional fields. Such fields come and go without a new name.
    if (to && isOnly && older.every((shape) => shape.has(path) && !shape.has(to[0]))) {
      changes.push({ change: 'renamed', path: to[0], before: path, type })
      renamed.add(path).add(to[0])
    }
  }
  const isLeft = ([path]: [string, string]) => !isWithin(path, renamed)
  changes.push(...missing.filter(isLeft).map(([path, type]) => ({ change: 'missing', path, type }) as const))
  changes.push(...added.filter(isLeft).map(([path, type]) => ({ change: 'added', path, type }) as const))
  return changes.slice(0, mostChanges)
}

const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('[]')))

/** Whether a path was renamed, or is inside a renamed one. */
function isWithin(path: string, renamed: ReadonlySet<string>): boolean {
  for (let at = path; at !== ''; at = parentOf(at)) {
    if (renamed.has(at)) {
      return true
    }
  }
  return false
}

function typeOf(value: unknown): string {
  if (value === null) {
    return 'null'
  }
  return Array.isArray(value) ? 'array' : typeof value
}

/** The data of the body; `undefined` if it is not an event. */
function dataOf({ body }: StoredEvent): unknown {
  try {
    return (JSON.parse(new TextDecoder().decode(body)) as { readonly data?: unknown }).data
  } catch {
    return undefined
  }
}
