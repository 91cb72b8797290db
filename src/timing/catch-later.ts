/**
 * Handles a later rejection of a user's function whose result is not awaited. Node ends the process for an unhandled
 * rejection.
 */
export function catchLater(returned: unknown, handle: (error: unknown) => void = () => {}): void {
  if (typeof returned === 'object' && returned !== null) {
    Promise.resolve(returned).catch(handle)
  }
}
