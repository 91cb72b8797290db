import { StoreError } from '../../errors.js'

/** A client of a lost Redis waits for ever, and meanwhile a transaction of the store is open, or a program starts. */
const patienceSeconds = 5

/** Rejects with `StoreError` where Redis is late. */
export async function inTime<T>(promise: Promise<T>, otherwise: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StoreError(`${otherwise} within ${patienceSeconds} s`)),
      patienceSeconds * 1000,
    )
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
