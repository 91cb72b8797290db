interface ErrorLog {
  error(message: string, error: unknown): void
}

/**
 * Tells the queue that the store has committed something. An error of the queue is only logged, because the change has
 * succeeded, and the queue also finds the events in the inbox.
 */
export function tellQueue(logger: ErrorLog, tell: () => unknown): void {
  const log = (error: unknown) =>
    logger.error('the queue failed after a commit; its next search finds the event', error)
  try {
    const told = tell()
    if (told instanceof Promise) {
      told.catch(log)
    }
  } catch (error) {
    log(error)
  }
}
