import { signal } from './signals.js'

/** Milliseconds that a message stays visible. */
const shownFor = 4000

const message = signal('')
let timer: ReturnType<typeof setTimeout> | undefined

/** Says what has just happened, on the page and to a screen reader. */
export function announce(text: string): void {
  message.value = text
  clearTimeout(timer)
  timer = setTimeout(() => {
    message.value = ''
  }, shownFor)
}

/** Where messages appear. Once on a page. */
export function Announcements() {
  return (
    <div class="announcement" role="status">
      {message.value && <p>{message.value}</p>}
    </div>
  )
}
