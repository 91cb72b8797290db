import type { Lifespan } from '../../src/adapter-port.js'

/** A middleware that is started and stopped as the gate that it stands on. */
export function withLifespan<Middleware extends object>(
  middleware: Middleware,
  { start, stop, describe }: Lifespan,
): Middleware & Lifespan {
  return Object.assign(middleware, { start, stop, describe })
}
