import type { Server } from 'node:http'

/**
 * What a server does with a delivery: read it; read it and let stripe verify and parse it; receive it. With `adapter` it
 * is received by nobody, so that what is above `bare` is what the adapter costs.
 */
export const variants = ['bare', 'stripe', 'adapter', 'ours'] as const
export type Variant = (typeof variants)[number]

/** Builds a server, not listening yet; `work` is what the handler of the event does, once a request. */
export type Serve = (work: () => void) => Server | Promise<Server>

/** The servers of one framework, each as its documentation has it written. */
export type Contenders = Readonly<Record<Variant, Serve>>
