import { Problem } from './problem.js'

/** The work took longer than this. */
type Late = (seconds: number) => Problem

/** `what` does the work, such as `authorize`. */
export const lateAnswer =
  (what: string): Late =>
  (seconds) =>
    new Problem('too_slow', `${what} has not responded within ${seconds} seconds.`)

/**
 * Resolves as the work does. Rejects with a `Problem` when it takes longer. The work continues, and its later outcome is
 * ignored.
 */
export async function withinSeconds<Value>(
  seconds: number,
  work: Promise<Value>,
  late = lateAnswer('The database'),
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late(seconds)), seconds * 1000)
  })
  try {
    return await Promise.race([work, end])
  } finally {
    clearTimeout(timer)
  }
}
