/** Milliseconds that a request waits. The server answers sooner, also if its database does not. A frozen one never answers. */
export const patience = 15_000

/** Asks the program. `path` is below `api/`. Rejects if there is no answer. */
export const request = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`./api/${path}`, { ...init, signal: AbortSignal.timeout(patience) })
