import { Problem } from './problem.js'

/** Resolves as the work does. Rejects with a `Problem` when it takes longer; the database goes on with it. */
export async function withinSeconds<Value>(seconds: number, work: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Problem('too_slow', `The database has not answered in ${seconds} seconds.`)),
      seconds * 1000,
    )
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
