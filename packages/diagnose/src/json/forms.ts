import type { Change } from '../causes.js'
import { type Item, scan } from './scan.js'
import { type Form, type numberForms, type stringForms, write } from './write.js'

/** A larger body is not written in other forms: a receiver rejects it anyway, and it takes minutes. */
export const maxJsonBytes = 2 * 1024 * 1024

export interface TextForm {
  readonly changes: readonly Change[]
  /** How unlikely it is: the number of changes, and more where it stands for several. */
  readonly cost: number
  readonly make: () => string
}

const layouts = {
  minified: 'minified',
  spaced: 'on one line with a space after each colon and comma',
  '2': 'indented by two spaces',
  '4': 'indented by four spaces',
  tab: 'indented by tabs',
} as const

const orders = {
  sorted: 'sorted by name',
  interface: 'in the order of the service interface',
} as const

const strings = {
  plain: 'without escapes that JSON does not need',
  ascii: String.raw`with \u escapes for all but ASCII`,
  asciiUpper: String.raw`with \u escapes in upper case for all but ASCII`,
  slashes: String.raw`with slashes written as \/`,
  asciiSlashes: String.raw`with \u escapes for all but ASCII and slashes written as \/`,
  html: String.raw`with \u escapes for <, > and &`,
  dotnet: String.raw`with the \u escapes of System.Text.Json`,
} as const satisfies Record<Exclude<keyof typeof stringForms, 'kept'>, string>

const numbers = {
  javascript: 'as JavaScript writes them',
  cents: 'with two digits after the point where they have any',
  twoDigits: 'all with two digits after the point',
  pointZero: 'with .0 where they are whole',
} as const satisfies Record<Exclude<keyof typeof numberForms, 'kept'>, string>

/** Every form in which a serializer may have written the JSON before it was signed; none where the text is no JSON. */
export function jsonForms(text: string): TextForm[] {
  const json = scan(text)
  if (!json) {
    return []
  }
  return [...combinations(json), ...throughJavaScript(text)]
}

function combinations(json: Item): TextForm[] {
  const forms: TextForm[] = []
  for (const [layout, layoutChange] of choices('body_reformatted', 'The signed JSON is', layouts)) {
    for (const [order, orderChange] of choices('body_keys_reordered', 'The signed keys are', orders)) {
      for (const [style, styleChange] of choices('body_escapes_changed', 'The signed strings are', strings)) {
        for (const [digits, digitsChange] of choices(
          'body_numbers_rewritten',
          'The signed numbers are',
          numbers,
        )) {
          const form = { layout, order, strings: style, numbers: digits } as Form
          const changes = [layoutChange, orderChange, styleChange, digitsChange].flat()
          if (changes.length > 0) {
            forms.push({ changes, cost: changes.length, make: () => write(json, form) })
          }
        }
      }
    }
  }
  return forms
}

/** `kept` without a change, then every other choice with one. */
function choices(
  code: Change['code'],
  start: string,
  texts: Readonly<Record<string, string>>,
): [string, Change[]][] {
  return [
    ['kept', []],
    ...Object.entries(texts).map(([name, text]): [string, Change[]] => [
      name,
      [{ code, evidence: `${start} ${text}.` }],
    ]),
  ]
}

/** What no choice above expresses: JavaScript moves keys that are numbers to the front, and drops repeated ones. */
function throughJavaScript(text: string): TextForm[] {
  return Object.entries({ minified: '', '2': '  ', '4': '    ', tab: '\t' } as const).map(
    ([layout, indent]) => ({
      changes: [
        {
          code: 'body_reserialized',
          evidence: `The signed JSON is ${layouts[layout as keyof typeof layouts]}.`,
        },
      ],
      // More than one, so that a single cause that explains as much is found first.
      cost: 2,
      make: () => JSON.stringify(JSON.parse(text), undefined, indent),
    }),
  )
}
