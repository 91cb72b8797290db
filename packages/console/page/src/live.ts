import { signal } from '@preact/signals'
import { whileVisible } from 'webhook-inbox-ui'

/** Grows with each change of the inbox. What reads it reads its view anew. */
export const changes = signal(0)
export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

/** Milliseconds before another connection, where the browser has given up. */
const pause = 3000

/**
 * Follows the marks of the server while the tab is visible. The browser resumes a lost stream with the last mark. A stream that
 * begins anew gets the newest mark first, so a tab that comes back reads its view anew.
 */
export const follow = (): void => whileVisible(openStream)

/** Returns a function that closes the stream. */
function openStream(): () => void {
  let again: ReturnType<typeof setTimeout> | undefined
  let source: EventSource
  function open(): void {
    source = new EventSource('./api/stream')
    source.onopen = () => {
      connection.value = 'live'
    }
    source.onerror = () => {
      connection.value = 'lost'
      if (source.readyState === EventSource.CLOSED) {
        again = setTimeout(open, pause)
      }
    }
    source.addEventListener('change', () => {
      changes.value += 1
    })
  }
  open()
  return () => {
    clearTimeout(again)
    source.close()
  }
}
