/** One request of a framework. */
export interface Asked {
  /** The path below the place where the console is mounted; begins with a slash. */
  readonly path: string
  /** The request for `authorize` and `actor`. */
  readonly caller: unknown
}

/** The environment of a handler of the router. */
export interface Env {
  readonly Bindings: Asked
}
