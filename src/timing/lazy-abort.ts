/** Creates its `AbortController` when the signal is first read, because most handlers never read the signal. */
export class LazyAbort {
  #controller: AbortController | undefined
  #aborted = false
  #reason: unknown

  get aborted(): boolean {
    return this.#aborted
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#aborted) {
        this.#controller.abort(this.#reason)
      }
    }
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    if (this.#aborted) {
      return
    }
    this.#aborted = true
    this.#reason = reason
    this.#controller?.abort(reason)
  }
}
