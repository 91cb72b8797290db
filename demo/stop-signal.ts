/** npm passes a Ctrl-C on that the terminal has sent to the demo already: signals this close to the first are the same. */
const sameSeconds = 1

/**
 * Aborted by Ctrl-C or SIGTERM, so that the demo ends by itself and prints its summary. A second Ctrl-C, a while later,
 * ends it immediately.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  let firstAt: number | undefined
  const onSignal = () => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt > sameSeconds * 1000) {
      process.exit(130)
    }
    stop.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, onSignal)
  }
  return stop.signal
}
