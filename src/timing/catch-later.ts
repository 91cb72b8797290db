/**
 * Handles a later rejection of a user's function whose result is not awaited. Otherwise Node would end the process.
 */
export function catchLater(returned: unknown, handle: (error: unknown) => void = () => {}): void {
  if (typeof returned !== 'object' || returned === null) {
    return
  }
  try {
    if (typeof (returned as Partial<PromiseLike<unknown>>).then === 'function') {
      Promise.resolve(returned).catch(handle)
    }
  } catch {
    // A getter of the value threw, so the value is not a promise.
  }
}
