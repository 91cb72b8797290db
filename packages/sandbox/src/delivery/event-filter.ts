/** True if a subscription to `patterns` wants events of `type`. `transfer.*` matches every type below `transfer`. */
export function wants(patterns: readonly string[], type: string): boolean {
  return patterns.some(
    (pattern) =>
      pattern === '*' ||
      pattern === type ||
      (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)) && type.length >= pattern.length),
  )
}

/** True for `*`, for `prefix.*` and for a type such as `transfer.settled`. */
export const isEventPattern = (pattern: string): boolean =>
  pattern === '*' || /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(\.\*)?$/.test(pattern)
