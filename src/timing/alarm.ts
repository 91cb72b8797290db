/**
 * Waits for a time, or until `ring` is called, and resolves to whether it was. If `ring` was called before, the next wait ends
 * immediately.
 */
export class Alarm {
  #hasRung = false
  #end: (() => void) | undefined

  ring(): void {
    this.#hasRung = true
    this.#end?.()
  }

  async wait(seconds: number): Promise<boolean> {
    if (!this.#hasRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, seconds * 1000)
        this.#end = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    const hasRung = this.#hasRung
    this.#hasRung = false
    this.#end = undefined
    return hasRung
  }
}
