import type { Settings } from '../options/settings.js'
import type { StoredEvent } from '../store/inbox.js'
import type { Explanation } from './explanation.js'
import { inboxOf } from './inbox-of.js'

/** Maximum number of copies that an explanation names. */
const mostNamed = 10
/** Maximum number of versions of one event that are read, the newest first. */
const mostRead = 100

/** Adds the event from which this one was copied, and its own edited copies: who looks at one of them often means the other. */
export async function withEdited(
  why: Explanation,
  settings: Settings,
  id: string,
  stored: Pick<StoredEvent, 'parent' | 'root'> | undefined,
): Promise<Explanation> {
  const { parent } = stored ?? {}
  // An event that is gone was perhaps the first version.
  const root = stored ? stored.root : id
  const copies = root === undefined ? [] : await copiesOf(settings, id, root)
  if (parent === undefined && copies.length === 0) {
    return why
  }
  return {
    ...why,
    ...(parent !== undefined && { parent }),
    ...(copies.length > 0 && { copies: copies.slice(0, mostNamed).map((copy) => copy.id) }),
    editedSentence: [
      ...(parent === undefined ? [] : [`It is an edited copy of event ${parent}.`]),
      ...named(copies),
    ].join(' '),
  }
}

/** The newest first. A copy of a copy belongs to the first event too, but is not a copy of it. */
async function copiesOf(settings: Settings, id: string, root: string): Promise<StoredEvent[]> {
  const { endpoint } = settings
  const query = { endpoint, root, order: 'newest', limit: mostRead, bodies: false } as const
  return (await inboxOf(settings).list(query)).filter(({ parent }) => parent === id)
}

function named([newest, ...others]: readonly StoredEvent[]): string[] {
  if (newest === undefined) {
    return []
  }
  return others.length === 0
    ? [`Its edited copy ${newest.id} is ${newest.state}.`]
    : [`It has ${others.length + 1} edited copies. The newest, ${newest.id}, is ${newest.state}.`]
}
