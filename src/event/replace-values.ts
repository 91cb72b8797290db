/**
 * Replaces values of the top-level object in valid JSON, and keeps every other character: `JSON.stringify` would round numbers, and
 * keep only the last of a repeated key.
 */
export function replaceValues(json: string, values: Readonly<Record<string, unknown>>): string {
  let replaced = ''
  let copied = 0
  let depth = 0
  let [stringFrom, valueFrom] = [0, 0]
  let key = ''
  for (let i = 0; i < json.length; i++) {
    const character = json[i] as string
    if (character === '"') {
      stringFrom = i
      while (json[++i] !== '"') {
        i += json[i] === '\\' ? 1 : 0
      }
    } else if ('{['.includes(character)) {
      depth++
    } else if (depth === 1 && character === ':') {
      key = JSON.parse(json.slice(stringFrom, i))
      valueFrom = i + 1
    } else if (depth === 1 && ',}'.includes(character) && Object.hasOwn(values, key)) {
      const value = json.slice(valueFrom, i)
      replaced +=
        json.slice(copied, valueFrom) + value.replace(value.trim(), () => JSON.stringify(values[key]))
      copied = i
    }
    if ('}]'.includes(character)) {
      depth--
    }
  }
  return replaced + json.slice(copied)
}
