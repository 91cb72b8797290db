/** How much work is under way, and when it is none. A set of its promises would cost 0.2 us a delivery. */
export class UnderWay {
  #count = 0
  #idle: (() => void)[] = []

  begin(): void {
    this.#count++
  }

  end(): void {
    if (--this.#count > 0) return
    for (const tell of this.#idle.splice(0)) tell()
  }

  /** Resolves when nothing is under way. */
  none(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#count === 0) resolve()
      else this.#idle.push(resolve)
    })
  }
}
