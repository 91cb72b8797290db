/** What is known already, or will be. */
export type Awaitable<T> = T | Promise<T>

/**
 * Whether a value has to be waited for. A step that is no async function, and returns what it knows, spares each delivery
 * a promise: 0.1 to 0.3 us, a dozen times.
 */
export const isPending = <T>(value: Awaitable<T>): value is Promise<T> =>
  typeof (value as Partial<Promise<T>> | null | undefined)?.then === 'function'
