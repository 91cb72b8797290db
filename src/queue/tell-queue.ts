interface ErrorLog {
  error(message: string, error: unknown): void
}

/**
 * Tells the queue of something that the store has committed already. What the queue throws is only logged: to reject would
 * say that the change failed, and the search of the queue finds its events.
 */
export function tellQueue(logger: ErrorLog, tell: () => unknown): void {
  const log = (error: unknown) =>
    logger.error('webhook-inbox: the queue failed after a commit; its next search finds the event', error)
  try {
    const told = tell()
    if (told instanceof Promise) {
      told.catch(log)
    }
  } catch (error) {
    log(error)
  }
}
