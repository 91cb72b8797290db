import type { SeenWorker } from 'webhook-inbox'

/** A process reports every 20 seconds. After two missed reports it is late, and after three the store does not list it. */
const lateSeconds = 45

/** Whether a process has not reported for longer than it should, by the clock of the database. */
export const isLate = ({ silentSeconds = 0 }: SeenWorker): boolean => silentSeconds > lateSeconds
