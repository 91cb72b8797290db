/**
 * Converts data to the snake_case envelope, as the inverse of the receiver's conversion. Keys below `metadata` stay as
 * they are. So does every key that the receiver would not convert back to its original form.
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
