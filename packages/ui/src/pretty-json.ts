/** Tokens of JSON. Strings and numbers are kept as they are written: a number may not fit into a double. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Lays JSON out over lines without changing a value; the text itself where it is not JSON. */
export function prettyJson(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  const tokens = text.match(token) ?? []
  let depth = 0
  let output = ''
  const line = () => `\n${'  '.repeat(depth)}`
  tokens.forEach((part, at) => {
    const next = tokens[at + 1]
    if (part === '{' || part === '[') {
      depth += 1
      output += part + (next === '}' || next === ']' ? '' : line())
    } else if (part === '}' || part === ']') {
      depth -= 1
      const isEmpty = tokens[at - 1] === '{' || tokens[at - 1] === '['
      output += (isEmpty ? '' : line()) + part
    } else if (part === ',') {
      output += part + line()
    } else {
      output += part === ':' ? ': ' : part
    }
  })
  return output
}
