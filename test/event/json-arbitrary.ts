import fc from 'fast-check'

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength })
const whole = fc.oneof(
  digits(22).map((text) => text.replace(/^0+(?=\d)/, '')),
  fc.constantFrom('0', '9007199254740991', '9007199254740993', '9999999999999999', '10000000000000000'),
)
export const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    whole,
    fc.option(digits(22), { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-', 'e-'), fc.oneof(digits(2), digits(4))), {
      nil: undefined,
    }),
    fc.nat(3),
  )
  .map(([sign, integer, part, power, shape]) =>
    [
      sign,
      integer,
      part !== undefined && shape > 0 ? `.${part}` : '',
      power !== undefined && shape > 1 ? power.join('') : '',
    ].join(''),
  )

/** A string in any spelling that JSON allows. */
const written = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.infiniteStream(fc.nat(7))).map(([characters, dice]) => {
    let result = '"'
    for (let i = 0; i < characters.length; i++) {
      const character = characters.charAt(i)
      const choice = dice.next().value ?? 0
      const code = characters.charCodeAt(i).toString(16).padStart(4, '0')
      const mustEscape = character === '"' || character === '\\' || character < ' '
      if (choice === 0) {
        result += `\\u${code}`
      } else if (choice === 1) {
        result += `\\u${code.toUpperCase()}`
      } else if (character === '/' && choice < 5) {
        result += '\\/'
      } else if (mustEscape) {
        result += JSON.stringify(character).slice(1, -1)
      } else {
        result += character
      }
    }
    return `${result}"`
  })
const key = written(
  fc.oneof(
    fc.constantFrom(
      'id',
      'type',
      'a',
      'b',
      '',
      'a/b',
      '/',
      'a"b',
      '"',
      '\\',
      'a\\',
      '\n',
      '__proto__',
      'é',
      '\u{1f4b8}',
      '1',
      ':',
      ',',
      '{',
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  ),
)

/** Objects of these keys and scalars as text, with and without white space. */
export function objects(
  keys: fc.Arbitrary<string>,
  scalars: fc.Arbitrary<string>,
  space: fc.Arbitrary<string>,
) {
  const { document } = fc.letrec<{ value: string; list: string; document: string }>((tie) => ({
    value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalars, tie('list'), tie('document')),
    list: fc
      .array(fc.tuple(space, tie('value'), space), { maxLength: 4 })
      .map((items) => `[${items.map((each) => each.join('')).join(',')}]`),
    document: fc
      .array(fc.tuple(space, keys, space, tie('value'), space), { maxLength: 5 })
      .map((pairs) => `{${pairs.map(([a, k, b, v, c]) => `${a}${k}${b}:${v}${c}`).join(',')}}`),
  }))
  return document
}

const word = fc.constantFrom('true', 'false', 'null', '{}', '[]', '""', '0')
const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 2 })

/** Any object in any spelling that JSON allows. */
export const anyObject = objects(key, fc.oneof(number, number, key, word), space)

/**
 * Compact objects with many repeated keys, and with numbers that are shorter than their printed form. They are the
 * hardest case for a scan that counts characters.
 */
export const tightObject = objects(
  fc.constantFrom('""', '"a"', '"b"', '"ab"', '":"', '"{"', '"\\""', '"\\u0061"', '"__proto__"'),
  fc.oneof(
    word,
    fc.constantFrom('""', '"a"', '":"', '"\\":"', '"\\u0061"', '"\\n"'),
    fc.constantFrom('1', '-1', '10', '100', '1000', '1e3', '1e9', '12e3', '-12e13', '1e15', '1e21', '1.5e9'),
    fc.constantFrom('10.50', '0.5', '5e-1', '0.01', '1e-2', '0.001', '1e-3', '0.000', '-0', '1e-7', '5e-324'),
    fc.constantFrom('1e400', '1e309', '-1e400', '1e-400', '-1e-324', '3e-324', '4.9e-324', '1e-9999'),
    fc.constantFrom('123456789012345', '1234567890123.5', '12345678901234.5', '9007199254740993'),
    fc.constantFrom('0.30000000000000004', '0.30000000000000003', '1.00000000000000001', '1234.000000000000'),
    number,
  ),
  fc.oneof({ weight: 15, arbitrary: fc.constant('') }, { weight: 1, arbitrary: space }),
)
