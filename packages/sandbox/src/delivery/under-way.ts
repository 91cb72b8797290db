/** The running attempts: the subscription of each, by the id of the delivery. */
export class UnderWay {
  readonly #subscriptions = new Map<string, string>()

  get size(): number {
    return this.#subscriptions.size
  }

  add(deliveryId: string, subscriptionId: string): void {
    this.#subscriptions.set(deliveryId, subscriptionId)
  }

  delete(deliveryId: string): void {
    this.#subscriptions.delete(deliveryId)
  }

  has(deliveryId: string): boolean {
    return this.#subscriptions.has(deliveryId)
  }

  countOf(subscriptionId: string): number {
    let count = 0
    for (const id of this.#subscriptions.values()) {
      if (id === subscriptionId) {
        count++
      }
    }
    return count
  }
}
