/**
 * The same JSON value with snake_case keys. Keys below `metadata` belong to the user and do not change. Keys that are
 * not camelCase do not change either.
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
