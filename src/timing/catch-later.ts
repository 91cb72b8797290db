/**
 * Handles a later rejection of a user's function whose result is not awaited. Node ends the process for an unhandled
 * rejection.
 */
export function catchLater(returned: unknown, handle: (error: unknown) => void = () => {}): void {
  if (typeof returned !== 'object' || returned === null) {
    return
  }
  try {
    Promise.resolve(returned).catch(handle)
  } catch {
    // A getter of the value threw: it is no promise that could reject.
  }
}
