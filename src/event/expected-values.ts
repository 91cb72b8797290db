/** A value that a schema can list. */
type Literal = string | number | boolean | null

/**
 * The values that a schema allows, as text: `"a"`, or `one of "a", "b"`. `undefined` if the issue lists none, or lists a value of
 * the data. A schema could have made its list from the data, which belongs to the customer.
 */
export function expectedValues(issue: object, data: unknown): string | undefined {
  const values = listed(issue)
  if (values.length === 0 || isAnyIn(data, values)) {
    return undefined
  }
  return values.length === 1 ? shown(values[0] as Literal) : `one of ${shortened(values)}`
}

/** Whether the data contains one of these texts or numbers, at any place. */
function isAnyIn(data: unknown, values: readonly Literal[]): boolean {
  const parts = new Set([data])
  for (const part of parts) {
    for (const each of typeof part === 'object' ? Object.values(part ?? {}) : []) {
      parts.add(each)
    }
  }
  return values.some(
    (value) =>
      typeof value !== 'boolean' && value !== null && (parts.has(String(value)) || parts.has(Number(value))),
  )
}

/** In the form of zod, which has the values, or of valibot, which has them as text. */
function listed(issue: object): readonly Literal[] {
  try {
    const { code, values, options, kind, type, expected } = issue as Record<string, unknown>
    const list = code === 'invalid_value' ? values : code === 'invalid_union' ? options : undefined
    if (Array.isArray(list)) {
      return list.every(isLiteral) ? list : []
    }
    const isWhole = kind === 'schema' && ['picklist', 'enum', 'literal', 'variant'].includes(String(type))
    return isWhole && typeof expected === 'string' && literals.test(expected) ? literalsIn(expected) : []
  } catch {
    // A getter of the schema may throw.
    return []
  }
}

const isLiteral = (value: unknown): value is Literal =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)

const literal = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null/
const literals = new RegExp(`^\\(?(?:${literal.source})(?: \\| (?:${literal.source}))*\\)?$`)

const literalsIn = (text: string): Literal[] =>
  Array.from(text.matchAll(new RegExp(literal, 'g')), ([each]) => JSON.parse(each))

/** As many values as fit. */
function shortened(values: readonly Literal[]): string {
  const named: string[] = []
  let length = 0
  for (const text of values.map(shown)) {
    length += text.length + 2
    if (length > longestList) {
      return `${named.join(', ')} and ${values.length - named.length} more`
    }
    named.push(text)
  }
  return named.join(', ')
}

function shown(value: Literal): string {
  const text = String(value)
  const short = text.length > longestValue ? `${text.slice(0, longestValue)}…` : text
  return typeof value === 'string' ? JSON.stringify(short) : short
}

const longestList = 120
const longestValue = 40
