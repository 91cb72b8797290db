/**
 * Handles a later rejection of what a user's function returned or threw, if it is not awaited. Otherwise Node would end the
 * process. The function may also return a list of promises, because a `map` over an async function does. Returns whether the
 * value is a promise.
 */
export function catchLater(returned: unknown, handle: (error: unknown) => void = () => {}): boolean {
  if (typeof returned !== 'object' || returned === null) {
    return false
  }
  try {
    if (Array.isArray(returned)) {
      for (const each of returned) {
        catchOne(each, handle)
      }
      return false
    }
  } catch {
    // A revoked proxy throws, and is no promise.
  }
  return catchOne(returned, handle)
}

function catchOne(value: unknown, handle: (error: unknown) => void): boolean {
  if (typeof value !== 'object' || value === null) {
    return false
  }
  try {
    if (typeof (value as Partial<PromiseLike<unknown>>).then === 'function') {
      Promise.resolve(value).catch(handle)
      return true
    }
  } catch {
    // A getter of the value threw, so the value is not a promise.
  }
  return false
}
