import type { World } from './world.js'

/** A person wonders after about this long whether anything happens. */
const delayMilliseconds = 1000

export interface Progress {
  /** Shows a text in place of the one before; nothing in the first second. */
  show(text: string): void
  /** Clears the line. */
  end(): void
}

/** A line on stderr that says what takes so long; silent where stderr is no terminal. */
export function progress({ stderr }: World): Progress {
  const start = performance.now()
  let isShown = false
  const clear = '\r\u001b[2K'
  return {
    show(text) {
      if (!stderr.isTTY || performance.now() - start < delayMilliseconds) {
        return
      }
      isShown = true
      stderr.write(clear + text.slice(0, (stderr.columns ?? 80) - 1))
    },
    end() {
      if (isShown) {
        stderr.write(clear)
      }
      isShown = false
    },
  }
}
