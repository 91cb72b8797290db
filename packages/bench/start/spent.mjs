// Plain JavaScript, as the programs beside it: what starts fast enough to be measured must load no compiler.

/** What this process has spent since it began; the heap without its garbage, where it was started with --expose-gc. */
export function spent() {
  const milliseconds = performance.now()
  const { user, system } = process.cpuUsage()
  const { rss } = process.memoryUsage()
  globalThis.gc?.()
  return { milliseconds, cpu: (user + system) / 1000, rss, heap: process.memoryUsage().heapUsed }
}
