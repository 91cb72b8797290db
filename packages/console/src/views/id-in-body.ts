import type { Receiver, StoredQuarantine } from 'webhook-inbox'
import type { Call } from '../routes/route.js'
import { bodyView } from './body-view.js'
import type { MaskAt } from './mask.js'

/** The length of the longest id of an event. */
const longest = 512
/** No more bytes of bodies are read for the ids of one list. */
const mostBytes = 1_000_000

/**
 * The id in a body that cannot be read as an event, after the mask. It tells such deliveries apart. `undefined` if there is none.
 */
export function idInBody(body: Uint8Array, mask: MaskAt | undefined): string | undefined {
  const { text } = bodyView(body, mask)
  try {
    const { id } = Object(JSON.parse(text ?? 'null'))
    return typeof id === 'string' && id !== '' && id.length <= longest ? id : undefined
  } catch {
    return undefined
  }
}

/** The ids in the bodies of these deliveries, by key. Only of those without an id of an event, and only for who may read bodies. */
export async function idsInBodies(
  { options, may }: Pick<Call, 'options' | 'may'>,
  rows: readonly StoredQuarantine[],
  read: () => ReturnType<Receiver['quarantined']>,
): Promise<ReadonlyMap<string, string>> {
  const isAsked = rows.some(({ eventId }) => eventId === undefined) && (await may('bodies:read'))
  const bytes = rows.reduce((sum, { bodyBytes = 0 }) => sum + bodyBytes, 0)
  const found = isAsked && bytes <= mostBytes ? await read() : []
  return new Map(
    found.flatMap(({ key, eventId, body }) => {
      const id = eventId === undefined && idInBody(body, options.mask)
      return id ? [[key, id] as const] : []
    }),
  )
}
