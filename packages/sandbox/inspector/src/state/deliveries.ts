import { computed, signal } from 'webhook-inbox-ui/signals'
import { call } from '../api/call.js'
import type { Delivery, LastAttempt, Page } from '../api/records.js'
import { on } from '../api/stream.js'
import { forgetEnds, noteEnd } from './series.js'

/** As many as the sandbox keeps. */
const mostKept = 20_000
/** Milliseconds in which changes are gathered before the page shows them. */
const gathering = 50
/** How many are read at the start, and each time that a person asks for older ones. */
const readAtOnce = 1000

const byId = new Map<string, Delivery>()
const changed = new Map<string, Delivery>()
let timer: ReturnType<typeof setTimeout> | undefined
let cursor: string | null = null
/** Tells the responses of an earlier state of the sandbox from those of this one. */
let epoch = 0

const all = signal<readonly Delivery[]>([])
const frozen = signal<readonly Delivery[] | undefined>(undefined)

/** Deliveries, the newest first; while paused, those of that moment. */
export const deliveries = computed(() => frozen.value ?? all.value)
/** `error`: why the list could not be read. */
export const listing = signal<'loading' | 'ready' | { readonly error: string }>('loading')
export const hasOlder = signal(false)
export const isPaused = computed(() => frozen.value !== undefined)
/** How many have come since the pause. */
export const heldBack = computed(() =>
  frozen.value ? Math.max(0, all.value.length - frozen.value.length) : 0,
)
/** Deliveries with an attempt under way. */
export const underWay = signal<ReadonlySet<string>>(new Set())

export function togglePause(): void {
  frozen.value = frozen.value ? undefined : all.value
}

/** Reads everything anew: the newest page, then some older ones. */
export async function readDeliveries(): Promise<void> {
  const mine = ++epoch
  byId.clear()
  forgetEnds()
  changed.clear()
  cursor = null
  void readAttempts(mine)
  await readUpTo(mine, readAtOnce)
}

/** Reads what the plots show: a list knows the newest attempt of each delivery only. */
async function readAttempts(mine: number): Promise<void> {
  type Answer = { readonly data: readonly (LastAttempt & { readonly deliveryId: string })[] }
  const { data } = await call<Answer>('GET', '/_sandbox/attempts').catch((): Answer => ({ data: [] }))
  if (mine !== epoch) {
    return
  }
  for (const attempt of data) {
    noteEnd(attempt.deliveryId, attempt)
  }
  show()
}

async function readUpTo(mine: number, count: number): Promise<void> {
  try {
    do {
      await readPage(mine)
    } while (mine === epoch && cursor && byId.size < count)
  } catch (error) {
    if (mine === epoch) {
      listing.value = { error: (error as Error).message }
    }
  }
}

/** Reads the next 1,000 older ones. */
export const readOlder = () => readUpTo(epoch, byId.size + readAtOnce)

async function readPage(mine: number): Promise<void> {
  const from = cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''
  const { data, nextCursor } = await call<Page<Delivery>>('GET', `/_sandbox/deliveries?limit=100${from}`)
  if (mine !== epoch) {
    return
  }
  cursor = nextCursor
  hasOlder.value = nextCursor !== null
  for (const delivery of data) {
    put(delivery)
  }
  show()
  listing.value = 'ready'
}

/** Takes over a delivery as it is now. */
export function put(delivery: Delivery): void {
  const known = changed.get(delivery.id) ?? byId.get(delivery.id)
  // A response may have been overtaken by a message.
  if (
    known &&
    (known.attempts > delivery.attempts ||
      (known.endedAt && !delivery.endedAt && known.attempts === delivery.attempts))
  ) {
    return
  }
  changed.set(delivery.id, delivery)
  if (delivery.last) {
    noteEnd(delivery.id, delivery.last)
  }
  timer ??= setTimeout(show, gathering)
}

function show(): void {
  clearTimeout(timer)
  timer = undefined
  const isNew = [...changed.keys()].some((id) => !byId.has(id))
  for (const [id, delivery] of changed) {
    byId.set(id, delivery)
  }
  changed.clear()
  const isOther = isNew || byId.size !== all.value.length
  // Identifiers sort by the time of their making.
  const ids = isOther ? [...byId.keys()].sort((a, b) => (a < b ? 1 : -1)) : all.value.map(({ id }) => id)
  for (const id of ids.splice(mostKept)) {
    byId.delete(id)
  }
  all.value = ids.map((id) => byId.get(id) as Delivery)
}

interface AttemptMessage {
  readonly phase: 'started' | 'ended'
  readonly delivery: Delivery
}

on<Delivery>('delivery', put)

on<AttemptMessage>('attempt', ({ phase, delivery }) => {
  const next = new Set(underWay.value)
  if (phase === 'started') {
    next.add(delivery.id)
  } else {
    next.delete(delivery.id)
  }
  underWay.value = next
  put(delivery)
})

on('reset', () => {
  underWay.value = new Set()
  frozen.value = undefined
  void readDeliveries()
})
