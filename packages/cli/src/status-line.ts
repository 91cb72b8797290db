import type { Output } from './world.js'

/** After this time the user should see what is running, in milliseconds. */
const delaySeconds = 1
const redrawMilliseconds = 250
const clearLine = '\r\u001b[2K'

/** A line that says what is running. */
export interface StatusLine {
  /** What is under way; `undefined` if nothing is. The line appears after a second of this step without other output. */
  show(text: string | undefined): void
  /** Removes the line before something else is printed. */
  clear(): void
}

/** A step may count what it has done. */
const stepOf = (text = '') => text.replaceAll(/\d[\d,]*/g, '#')

/** On a stream that is not a terminal it shows nothing. */
export function statusLine(stream: Output): StatusLine {
  let text: string | undefined
  let since = 0
  let isDrawn = false
  let timer: NodeJS.Timeout | undefined

  function draw(): void {
    const seconds = Math.floor((performance.now() - since) / 1000)
    if (text === undefined || seconds < delaySeconds) {
      return
    }
    isDrawn = true
    stream.write(clearLine + `${text} (${seconds} s)`.slice(0, (stream.columns ?? 80) - 1))
  }

  function clear(): void {
    since = performance.now()
    if (isDrawn) {
      stream.write(clearLine)
    }
    isDrawn = false
  }

  return {
    show(next) {
      const isOtherStep = next !== undefined && stepOf(next) !== stepOf(text)
      text = next
      if (!stream.isTTY) {
        return
      }
      // Otherwise a fast step would appear for a moment because the steps before it were slow.
      if (isOtherStep) {
        clear()
      }
      if (next === undefined) {
        clearInterval(timer)
        timer = undefined
        clear()
      } else if (!timer) {
        since = performance.now()
        timer = setInterval(draw, redrawMilliseconds).unref()
      }
    },
    clear,
  }
}
