/** npm forwards a Ctrl-C that the demo already got from the terminal. A signal this soon after the first is the same one. */
const sameSeconds = 1

/**
 * A signal that Ctrl-C or SIGTERM aborts, so that the demo ends by itself and prints its summary. A later second Ctrl-C
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
