import { StoreError } from '../errors.js'

/** How long the store is left alone before it is asked again. */
const pauseSeconds = 1

/**
 * Notes a failed attempt, again and again where the store cannot: a handler that goes on after its budget may hold its
 * event until its claim has passed. One that never ends would be tried for ever if that were not counted, and would
 * hold back its resource as long. Rejects with the store’s error where it is to stop.
 */
export async function noteFailure(
  note: () => Promise<unknown>,
  stopping: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  for (;;) {
    try {
      await note()
      return
    } catch (error) {
      if (stopping.aborted || !(error instanceof StoreError)) throw error
      onError(error)
    }
    await pause(stopping)
  }
}

function pause(stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      stopping.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, pauseSeconds * 1000)
    stopping.addEventListener('abort', end)
  })
}
