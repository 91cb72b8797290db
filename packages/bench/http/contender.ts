import type { Server } from 'node:http'

/**
 * What a server does with a delivery. `bare` only reads it, `stripe` verifies it with stripe, and `ours` receives it.
 * `adapter` passes it to a receiver that does nothing, so its cost above `bare` is the cost of the adapter.
 */
export const variants = ['bare', 'stripe', 'adapter', 'ours'] as const
export type Variant = (typeof variants)[number]

/** Builds a server that does not listen yet. The handler of the event calls `work` once per request. */
export type Serve = (work: () => void) => Server | Promise<Server>

/** The servers of one framework, each written as its documentation shows. */
export type Contenders = Readonly<Record<Variant, Serve>>
