import type { Attributes, ObservableResult } from '@opentelemetry/api'

type Label = string | number | undefined

/** The count of one combination of labels. */
class Branch {
  readonly next = new Map<Label, Branch>()
  attributes: Attributes | undefined
  sum = 0
}

/**
 * Counts by labels, for an observable counter. A counter of the SDK hashes its attributes on every `add`, which takes longer
 * than the rest of the report of a delivery. Each label must have few values, because nothing is forgotten.
 */
export class Tally {
  readonly #root = new Branch()
  readonly #counted: Branch[] = []
  readonly #names: readonly string[]

  /** The values of `add` belong to these names, in this order. */
  constructor(...names: readonly string[]) {
    this.#names = names
  }

  /** A label that is `undefined` is left out. */
  add(amount: number, ...labels: readonly Label[]): void {
    let branch = this.#root
    for (const label of labels) {
      let next = branch.next.get(label)
      if (!next) {
        next = new Branch()
        branch.next.set(label, next)
      }
      branch = next
    }
    if (!branch.attributes) {
      branch.attributes = this.#attributesOf(labels)
      this.#counted.push(branch)
    }
    branch.sum += amount
  }

  /** Reports every count since the start. */
  observe(result: ObservableResult): void {
    for (const { sum, attributes } of this.#counted) {
      result.observe(sum, attributes)
    }
  }

  #attributesOf(labels: readonly Label[]): Attributes {
    const given = this.#names.map((name, index) => [name, labels[index]] as const)
    return Object.fromEntries(given.filter(([, label]) => label !== undefined))
  }
}
