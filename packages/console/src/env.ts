/** One request, as a framework hands it over. */
export interface Asked {
  /** The path below the place where the console is mounted; begins with a slash. */
  readonly path: string
  /** The path that the client asked for, without its query. */
  readonly original: string
  /** What `authorize` and `actor` get. */
  readonly caller: unknown
}

/** What a handler of the router finds in its environment. */
export interface Env {
  readonly Bindings: Asked
}
