import type { Server } from 'node:http'

/** What a server does with a delivery: read it; read it and let stripe verify and parse it; or receive it. */
export const variants = ['bare', 'stripe', 'ours'] as const
export type Variant = (typeof variants)[number]

/** Builds a server, not listening yet; `work` is what the handler of the event does, once a request. */
export type Serve = (work: () => void) => Server | Promise<Server>

/** The three servers of one framework, each as its documentation has it written. */
export type Contenders = Readonly<Record<Variant, Serve>>
