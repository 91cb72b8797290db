/**
 * The wire form of data in the snake_case envelope: the inverse of what the receiver does, so keys below `metadata`
 * stay, and so does every key that the receiver would not turn back into what it was.
 */
export function snakeCaseKeys(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(snakeCaseKeys)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) =>
      key === 'metadata' ? [key, entry] : [snakeCase(key), snakeCaseKeys(entry)],
    ),
  )
}

const camelCase = /^[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+$/

const snakeCase = (key: string) =>
  camelCase.test(key) ? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : key
