/** Counts the work in progress. A counter costs less than a set of promises. */
export class UnderWay {
  #count = 0
  #idle: (() => void)[] = []

  begin(): void {
    this.#count++
  }

  end(): void {
    if (--this.#count > 0) {
      return
    }
    for (const tell of this.#idle.splice(0)) {
      tell()
    }
  }

  /** Counts work that ends when its promise settles. */
  track(work: Promise<unknown>): void {
    this.begin()
    const end = () => this.end()
    work.then(end, end)
  }

  /** Resolves when no work is in progress. */
  none(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#count === 0) {
        resolve()
      } else {
        this.#idle.push(resolve)
      }
    })
  }
}
