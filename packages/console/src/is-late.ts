/** A process reports every 20 seconds. After two missed reports it is late, and after three the store does not list it. */
const lateSeconds = 45

/** Whether a process has not reported for longer than it should. `seenAt` is its last report. */
export const isLate = (seenAt: string): boolean => Date.now() - Date.parse(seenAt) > lateSeconds * 1000
