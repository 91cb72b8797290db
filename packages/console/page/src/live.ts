import { signal } from '@preact/signals'

/** Grows with each change of the inbox. What reads it reads its view anew. */
export const changes = signal(0)
export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

/** Milliseconds before another connection, where the browser has given up. */
const pause = 3000

/** Follows the marks of the server for as long as the page is open. The browser resumes with the last mark. */
export function follow(): void {
  const source = new EventSource('./api/stream')
  source.onopen = () => {
    connection.value = 'live'
  }
  source.onerror = () => {
    connection.value = 'lost'
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(follow, pause)
    }
  }
  source.addEventListener('change', () => {
    changes.value += 1
  })
}
