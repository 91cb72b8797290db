const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g

/** The keys that occur twice within one object of a JSON text, each once. `JSON.parse` keeps the last of them. */
export function duplicateKeys(text: string): string[] {
  const duplicates = new Set<string>()
  /** The keys of each enclosing object; `undefined` for an array. */
  const open: (Set<string> | undefined)[] = []
  let last = ''
  for (const [part] of text.matchAll(token)) {
    if (part === '{') {
      open.push(new Set())
    } else if (part === '[') {
      open.push(undefined)
    } else if (part === '}' || part === ']') {
      open.pop()
    } else if (part === ':') {
      const key = JSON.parse(last) as string
      const keys = open.at(-1)
      if (keys?.has(key)) {
        duplicates.add(key)
      }
      keys?.add(key)
    }
    last = part
  }
  return [...duplicates]
}
