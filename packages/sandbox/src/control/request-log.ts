/** One request to the service plane, and its response. */
export interface RequestRecord {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** The subject of the request, such as the new transfer and its rail. */
  readonly subject: string
  readonly isReplayed: boolean
  /** The code of the problem, if the response is one. */
  readonly code: string | undefined
  readonly milliseconds: number
  /** Unix milliseconds by the system clock. */
  readonly at: number
}

const keptRequests = 1000

/** The newest requests, in memory. */
export class RequestLog {
  readonly #kept: RequestRecord[] = []

  add(request: RequestRecord): void {
    this.#kept.push(request)
    if (this.#kept.length > keptRequests) {
      this.#kept.shift()
    }
  }

  /** The newest first. */
  list(limit: number): RequestRecord[] {
    return this.#kept.slice(-limit).reverse()
  }

  clear(): void {
    this.#kept.length = 0
  }
}
