/** What the browser keeps under a key; `null` if it keeps nothing, or blocks its storage. */
export function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Keeps a text over reloads, unless the browser blocks its storage. */
export function keep(key: string, text: string): void {
  try {
    localStorage.setItem(key, text)
  } catch {
    // The page works without it.
  }
}
