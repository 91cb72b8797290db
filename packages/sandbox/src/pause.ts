/** An error of the database, such as a full disk, usually lasts longer than one attempt. */
const pauseMilliseconds = 1000

/** Starts work again some time after it failed. */
export class Pause {
  readonly #again: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(again: () => void) {
    this.#again = again
  }

  /** Does nothing during a pause, so that many errors cause one new start. */
  begin(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#again()
    }, pauseMilliseconds)
  }

  cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
