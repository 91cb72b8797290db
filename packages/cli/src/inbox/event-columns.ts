import type { StoredEvent } from 'webhook-inbox'
import type { Column } from '../print-list.js'

export const eventColumns: readonly Column<StoredEvent>[] = [
  // To the second. `inbox show` prints the microseconds.
  { title: 'RECEIVED', text: ({ receivedAt }) => `${receivedAt.slice(0, 19)}Z`, isExtra: true },
  // What an operator acts on, so a narrow terminal shows it too.
  { title: 'STATE', text: ({ state }) => state },
  { title: 'ATTEMPTS', text: ({ attempt }) => attempt, isExtra: true },
  { title: 'TYPE', text: ({ type }) => type },
  { title: 'EVENT', text: ({ id }) => id },
  { title: 'LAST ERROR', text: ({ lastError }) => lastError, isProse: true },
]

/** Without the body, because it contains data of customers. `inbox show` prints it. */
export function withoutBody<
  T extends { readonly body: Uint8Array; readonly bodyBytes?: number | undefined },
>({ body, bodyBytes = body.length, ...rest }: T) {
  return { ...rest, bytes: bodyBytes }
}
