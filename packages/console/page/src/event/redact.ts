const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

interface Level {
  readonly isList: boolean
  key: string | undefined
  isAtKey: boolean
}

/**
 * Replaces the values under these paths, such as `data.customer.name`, and everything below them. A path goes through lists. All
 * other tokens stay as they are written: a number may not fit into a double. The text must be JSON.
 */
export function redact(text: string, paths: readonly string[]): string {
  const levels: Level[] = []
  const isHidden = (): boolean => {
    const path = levels.flatMap(({ key }) => (key === undefined ? [] : [key])).join('.')
    return paths.some((each) => path === each || path.startsWith(`${each}.`))
  }
  const written = (text.match(token) ?? []).map((part) => {
    const level = levels.at(-1)
    if (part === '{' || part === '[') {
      levels.push({ isList: part === '[', key: undefined, isAtKey: part === '{' })
    } else if (part === '}' || part === ']') {
      levels.pop()
    } else if (part === ',' && level) {
      level.isAtKey = !level.isList
    } else if (part === ':' && level) {
      level.isAtKey = false
    } else if (level?.isAtKey) {
      level.key = JSON.parse(part) as string
    } else if (isHidden()) {
      return replacementOf(part)
    }
    return part
  })
  return written.join('')
}

/** A value of the same type, so that a copy keeps the shape. */
function replacementOf(part: string): string {
  if (part.startsWith('"')) {
    return '"redacted"'
  }
  return part === 'null' ? part : part === 'true' || part === 'false' ? 'false' : '0'
}
