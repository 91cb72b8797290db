/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>

/**
 * Whether a value is a promise. A step that returns a plain value when it can saves each delivery a promise.
 */
export const isPending = <T>(value: Awaitable<T>): value is Promise<T> =>
  typeof (value as Partial<Promise<T>> | null | undefined)?.then === 'function'
