/** Maximum number of kinds in this memory. It has a limit because a sender can send any number of events. */
const mostRemembered = 1000

/** Returns a function that says whether a line of this kind was written within the period, and otherwise notes it. */
export function quiet(periodSeconds = 60): (kind: string) => boolean {
  const lastLine = new Map<string, number>()
  return (kind) => {
    const now = performance.now() / 1000
    const last = lastLine.get(kind)
    if (last !== undefined && now - last < periodSeconds) {
      return true
    }
    lastLine.delete(kind)
    if (lastLine.size >= mostRemembered) {
      lastLine.delete(lastLine.keys().next().value as string)
    }
    lastLine.set(kind, now)
    return false
  }
}
