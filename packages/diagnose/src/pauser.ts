/** Lets the page or the process do other things in between: the HMAC of Node resolves without a turn of the loop. */
export function pauser(onProgress?: (tried: number) => void): (tried: number) => Promise<void> {
  let last = performance.now()
  return async (tried) => {
    if (performance.now() - last < 50) {
      return
    }
    onProgress?.(tried)
    await new Promise((resolve) => setTimeout(resolve, 0))
    last = performance.now()
  }
}
