/** Settles as `work` does, or rejects with the reason of `signal` as soon as it is aborted. */
export async function abortable<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  if (!signal) {
    return work()
  }
  signal.throwIfAborted()
  let stopListening = () => {}
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    // A signal may outlive thousands of calls.
    stopListening = () => signal.removeEventListener('abort', onAbort)
  })
  try {
    return await Promise.race([work(), aborted])
  } finally {
    stopListening()
  }
}

/** Resolves after so many seconds, or rejects with the reason of `signal`. */
export async function sleep(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    await abortable(
      signal,
      () => new Promise<void>((resolve) => (timer = setTimeout(resolve, seconds * 1000))),
    )
  } finally {
    clearTimeout(timer)
  }
}
