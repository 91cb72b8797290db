/** A text or a number of a JSON document. */
const textOrNumber = /"((?:[^"\\]|\\.)*)"|-?\d[\d.eE+-]*/g

/**
 * The value of a JSON document, with each text as `"` and the text, and each number as its digits. JavaScript would round the
 * digits. Names of fields are texts too. `undefined` if it is not JSON.
 */
export function parseExact(json: string): unknown {
  try {
    return JSON.parse(
      json.replace(textOrNumber, (token, text) => (text === undefined ? `"${token}"` : `"\\"${text}"`)),
    )
  } catch {
    return undefined
  }
}

/** The parts of a path such as `data.list[].ref` or `data.list.0.ref`. An empty part is each element of a list. */
export const partsOf = (path: string): readonly string[] => path.replace(/\[(\d*)\]/g, '.$1').split('.')

/** The values at a path in what {@link parseExact} returns. */
export const valuesAt = (value: unknown, path: readonly string[]): readonly unknown[] =>
  path.reduce<readonly unknown[]>((values, part) => values.flatMap((each) => membersOf(each, part)), [value])

function membersOf(value: unknown, part: string): readonly unknown[] {
  if (Array.isArray(value)) {
    return part === '' ? value : Object.hasOwn(value, part) ? [value[part as never]] : []
  }
  const name = `"${part}`
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? [(value as Record<string, unknown>)[name]]
    : []
}

/** Whether a value of {@link parseExact} is this text, this number however it is written, `true` or `false`. */
export function isValue(value: unknown, wanted: string): boolean {
  if (typeof value !== 'string') {
    return typeof value === 'boolean' && String(value) === wanted
  }
  if (value.startsWith('"')) {
    return value.slice(1) === wanted
  }
  const digits = digitsOf(value)
  return value === wanted || (digits !== undefined && digits === digitsOf(wanted))
}

const number = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,15}))?$/i

/** The same text for each way to write a number: `121e-1` for 12.1, 12.10 and 1.21e1. `undefined` for other texts. */
function digitsOf(text: string): string | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] = number.exec(text) ?? []
  if (whole === undefined) {
    return undefined
  }
  const digits = whole + fraction
  // A regular expression for the zeros at the end takes quadratic time.
  let [from, to] = [0, digits.length]
  while (digits[from] === '0') {
    from += 1
  }
  while (to > from && digits[to - 1] === '0') {
    to -= 1
  }
  return from === to ? '0' : `${sign}${digits.slice(from, to)}e${Number(exponent) + whole.length - to}`
}
