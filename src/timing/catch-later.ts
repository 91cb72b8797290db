/**
 * Handles a later rejection of a user's function whose result is not awaited. Otherwise Node would end the process. The
 * function may also return a list of promises, because a `map` over an async function does.
 */
export function catchLater(returned: unknown, handle: (error: unknown) => void = () => {}): void {
  if (typeof returned !== 'object' || returned === null) {
    return
  }
  try {
    if (Array.isArray(returned)) {
      for (const each of returned) {
        catchOne(each, handle)
      }
      return
    }
  } catch {
    // A revoked proxy throws, and is no promise.
  }
  catchOne(returned, handle)
}

function catchOne(value: unknown, handle: (error: unknown) => void): void {
  if (typeof value !== 'object' || value === null) {
    return
  }
  try {
    if (typeof (value as Partial<PromiseLike<unknown>>).then === 'function') {
      Promise.resolve(value).catch(handle)
    }
  } catch {
    // A getter of the value threw, so the value is not a promise.
  }
}
