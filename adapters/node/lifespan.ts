import type { Lifespan } from '../../src/adapter-port.js'

/** Adds `start`, `stop` and `describe` of a gate to a middleware. */
export function withLifespan<Middleware extends object>(
  middleware: Middleware,
  { start, stop, describe }: Lifespan,
): Middleware & Lifespan {
  return Object.assign(middleware, { start, stop, describe })
}
