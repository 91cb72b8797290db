import { effect, signal } from 'webhook-inbox-ui/signals'
import { type CallError, call } from '../api/call.js'
import { readDelivery } from '../api/delivery.js'
import type { Delivery, FullDelivery, Page } from '../api/records.js'
import { on } from '../api/stream.js'
import { type Route, route } from '../route.js'
import { deliveries } from '../state/deliveries.js'

/** The delivery that is open, with the bytes of its attempts. */
export const opened = signal<FullDelivery | undefined>(undefined)
/** All deliveries of its event, the newest first. */
export const ofEvent = signal<readonly Delivery[]>([])
export const openError = signal<string | undefined>(undefined)

/** The id of the delivery that the address names. */
const idOf = ({ page, id }: Route) => (page === 'deliveries' ? id : undefined)

// It may be another sandbox, which knows nothing of this delivery.
on('reset', () => {
  const id = idOf(route.peek())
  if (id) {
    void read(id)
  }
})

/** Reads the open delivery, again each time that it changes. Call it once. */
export function followOpened(): void {
  let shownId: string | undefined
  effect(() => {
    const id = idOf(route.value)
    // A change of the list may be a change of this delivery or of its siblings.
    const known = deliveries.value.find((each) => each.id === id)
    if (id !== shownId) {
      shownId = id
      opened.value = undefined
      openError.value = undefined
      ofEvent.value = []
    }
    const isCurrent = opened.peek()?.id === id && isSame(opened.peek(), known)
    if (id && !isCurrent) {
      void read(id)
    }
    if (known) {
      noteSiblings(known)
    }
  })
}

const isSame = (full: FullDelivery | undefined, known: Delivery | undefined) =>
  known === undefined || (full?.attempts === known.attempts && full.state === known.state)

let readings = 0

async function read(id: string): Promise<void> {
  const mine = ++readings
  // Each change of the list starts a reading, and the responses may come in another order.
  const isNewest = () => mine === readings && route.peek().id === id
  try {
    const full = await readDelivery(id)
    const { data } = await call<Page<Delivery>>(
      'GET',
      `/_sandbox/deliveries?limit=100&eventId=${encodeURIComponent(full.eventId)}`,
    )
    if (isNewest()) {
      opened.value = full
      ofEvent.value = data
      openError.value = undefined
    }
  } catch (error) {
    if (isNewest()) {
      const { status, message } = error as CallError
      openError.value = message
      if (status === 404) {
        opened.value = undefined
        openError.value = `${message} A restart or a reset of the sandbox removes deliveries.`
      }
    }
  }
}

/** Takes siblings that have come since from the list. */
function noteSiblings({ eventId }: Delivery): void {
  const listed = deliveries.value.filter((each) => each.eventId === eventId)
  const ids = new Set(listed.map(({ id }) => id))
  const rest = ofEvent.peek().filter((each) => each.eventId === eventId && !ids.has(each.id))
  ofEvent.value = [...listed, ...rest]
}
