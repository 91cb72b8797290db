/** Whether programs that were written against the old document may fail with the new one. */
export type Kind = 'additive' | 'breaking'

export interface Change {
  readonly kind: Kind
  /** Where it is, such as `POST /v1/wallets request owner`. */
  readonly at: string
  readonly what: string
}

// biome-ignore lint/suspicious/noExplicitAny: documents of every shape
export type Json = any

/** What a `$ref` stands for. */
export function resolve(document: Json, value: Json): Json {
  const reference: string | undefined = value?.$ref
  if (reference === undefined) {
    return value
  }
  const parts = reference.slice(2).split('/')
  return parts.reduce((place, part) => place?.[part.replaceAll('~1', '/').replaceAll('~0', '~')], document)
}

/** Every key of two objects, with what each has there. */
export function pairs(before: Json = {}, after: Json = {}): [key: string, before: Json, after: Json][] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].map((key) => [key, before[key], after[key]])
}
