import { now, whileVisible } from 'webhook-inbox-ui'
import { signal } from 'webhook-inbox-ui/signals'
import { lastReading } from './call.js'
import { readMe } from './me.js'
import { isOut } from './signed-out.js'
import { askWhyLost, codeOf, whyLost } from './why-lost.js'

/** Grows with each change of the inbox, and with each beat of the server. What reads it reads its view anew. */
export const changes = signal(0)
export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

/**
 * When the figures were read, while the page is not connected; 0 if none was read. `undefined` while it is connected, and for the
 * first seconds of a loss.
 */
export const awaySince = signal<number | undefined>(undefined)

/** The time up to which the page knows what happened. */
export const knownUntil = () => awaySince.value ?? now.value

/** Milliseconds before a loss is reported. A proxy may cut a stream, and the browser opens it again after two seconds. */
const patience = 4000

/**
 * Milliseconds without a word of the server before the page says so. It sends a pulse every five seconds, and decides within ten
 * about a new stream. The connections of a frozen program stay open, so the browser reports nothing.
 */
const silence = 12_000

/** Milliseconds before another connection, where the browser has given up. */
const pause = 3000

/** As `pause`, while the program rejects the person. */
const longPause = 30_000

/**
 * Follows the marks of the server while the tab is visible. The browser resumes a lost stream with the last mark. A stream that
 * begins anew gets the newest mark first, so a tab that comes back reads its view anew.
 */
export const follow = (): void => whileVisible(openStream)

/** Returns a function that closes the stream. */
function openStream(): () => void {
  let again: ReturnType<typeof setTimeout> | undefined
  let source: EventSource
  let report: ReturnType<typeof setTimeout> | undefined
  let watch: ReturnType<typeof setTimeout> | undefined
  function open(): void {
    source = new EventSource('./api/stream')
    listen()
    source.onopen = () => {
      listen()
      connection.value = 'live'
      clearTimeout(report)
      report = undefined
      awaySince.value = undefined
      whyLost.value = undefined
      void readMe()
    }
    source.onerror = () => {
      listen()
      lose(patience)
      void askWhyLost()
      void readMe()
      if (source.readyState === EventSource.CLOSED) {
        clearTimeout(watch)
        const isRejected = isOut(whyLost.value) || whyLost.value === 'forbidden'
        again = setTimeout(open, isRejected ? longPause : pause)
      }
    }
    // Before the stream ends. A page that connects now waits for the store or for `authorize` first.
    source.addEventListener('lost', ({ data }) => {
      whyLost.value = codeOf(data)
      lose(0)
    })
    source.addEventListener('pulse', listen)
    for (const name of ['change', 'beat']) {
      source.addEventListener(name, () => {
        listen()
        changes.value += 1
      })
    }
  }
  function lose(milliseconds: number): void {
    connection.value = 'lost'
    report ??= setTimeout(() => {
      awaySince.value = lastReading.at
    }, milliseconds)
  }
  function listen(): void {
    clearTimeout(watch)
    watch = setTimeout(() => {
      source.close()
      whyLost.value = 'program'
      lose(0)
      open()
    }, silence)
  }
  open()
  return () => {
    clearTimeout(again)
    clearTimeout(report)
    clearTimeout(watch)
    source.close()
  }
}
