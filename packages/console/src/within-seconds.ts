import { Problem } from './problem.js'

/**
 * Resolves as the work does. Rejects with a `Problem` when it takes longer. The work continues, and its later outcome is
 * ignored. `what` does the work, such as `authorize`.
 */
export async function withinSeconds<Value>(
  seconds: number,
  work: Promise<Value>,
  what = 'The database',
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Problem('too_slow', `${what} has not responded within ${seconds} seconds.`)),
      seconds * 1000,
    )
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
