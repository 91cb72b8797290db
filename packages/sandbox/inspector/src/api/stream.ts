import { whileVisible } from 'webhook-inbox-ui'
import { signal } from 'webhook-inbox-ui/signals'

type Listener = (data: never) => void

/** Whether the page hears of what happens. */
export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

/** True while the sandbox does not respond. */
export const isLost = () => connection.value === 'lost'

const listeners = new Map<string, Set<Listener>>()
/** Milliseconds before another connection, where the browser has given up. */
const pause = 1000

/** Calls `listener` with the data of each message of this type. Call it before {@link follow}. */
export function on<Data>(type: string, listener: (data: Data) => void): void {
  const known = listeners.get(type) ?? new Set()
  listeners.set(type, known.add(listener as Listener))
}

/**
 * Follows the stream of the sandbox while the tab is visible. The browser resumes a lost stream with the id of the last
 * message. Where the sandbox no longer keeps what was missed, it sends `reset`. A stream without such an id begins with a
 * `reset` of our own, because something may have happened before it.
 */
export const follow = (): void => whileVisible(openStream)

/** Returns a function that closes the stream. */
function openStream(): () => void {
  let again: ReturnType<typeof setTimeout> | undefined
  let source: EventSource
  function open(): void {
    source = new EventSource('/_sandbox/stream')
    let hasId = false
    source.onopen = () => {
      connection.value = 'live'
      if (!hasId) {
        tell('reset', {})
      }
    }
    source.onerror = () => {
      connection.value = 'lost'
      if (source.readyState === EventSource.CLOSED) {
        again = setTimeout(open, pause)
      }
    }
    for (const type of listeners.keys()) {
      source.addEventListener(type, ({ data, lastEventId }: MessageEvent<string>) => {
        hasId = lastEventId !== ''
        tell(type, JSON.parse(data))
      })
    }
  }
  open()
  return () => {
    clearTimeout(again)
    source.close()
    connection.value = 'connecting'
  }
}

function tell(type: string, data: unknown): void {
  for (const listener of listeners.get(type) ?? []) {
    listener(data as never)
  }
}
