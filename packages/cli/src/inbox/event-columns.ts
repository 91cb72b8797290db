import type { StoredEvent } from 'webhook-inbox'
import type { Column } from '../print-list.js'

export const eventColumns: readonly Column<StoredEvent>[] = [
  { title: 'RECEIVED', text: ({ receivedAt }) => receivedAt },
  { title: 'STATE', text: ({ state }) => state },
  { title: 'TRIES', text: ({ attempt }) => attempt },
  { title: 'TYPE', text: ({ type }) => type },
  { title: 'EVENT', text: ({ id }) => id },
  { title: 'LAST ERROR', text: ({ lastError }) => lastError, isProse: true },
]

/** Without the body, because it contains data of customers. `inbox show` prints it. */
export function withoutBody<T extends { readonly body: Uint8Array }>({ body, ...rest }: T) {
  return { ...rest, bytes: body.length }
}
