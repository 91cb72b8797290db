import process from 'node:process'

/** npm and npx pass Ctrl-C on although the terminal has sent it already. So a second one within this time is the same one. */
const sameKeyMilliseconds = 500

/** The status of a program that was ended by Ctrl-C. */
const interruptedStatus = 128 + 2

/**
 * A signal that aborts at Ctrl-C or SIGTERM, for commands that have something to end. Another Ctrl-C ends the process.
 * Before the first call both end the process, as they do by default.
 */
export function interruption(): () => AbortSignal {
  let controller: AbortController | undefined
  return () => {
    if (controller) {
      return controller.signal
    }
    const ending = new AbortController()
    controller = ending
    let first = Number.NaN
    const interrupt = () => {
      if (Number.isNaN(first)) {
        first = performance.now()
        ending.abort()
      } else if (performance.now() - first > sameKeyMilliseconds) {
        process.exit(interruptedStatus)
      }
    }
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      process.on(name, interrupt)
    }
    return ending.signal
  }
}
