import type { Item, Member, Node } from './scan.js'

/** How JSON is written. What is `kept` stays as it stands in the source. */
export interface Form {
  readonly layout: 'kept' | 'minified' | 'spaced' | '2' | '4' | 'tab'
  readonly order: 'kept' | 'sorted' | 'interface'
  readonly strings: keyof typeof stringForms
  readonly numbers: keyof typeof numberForms
}

type Rewrite = (text: string) => string

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0')
const escapeLower: Rewrite = (character) => `\\u${hex(character)}`
const escapeUpper: Rewrite = (character) => `\\u${hex(character).toUpperCase()}`
/** DEL included: no serializer below writes it as it is where it escapes at all. */
const beyondAscii = /[\u007f-\uffff]/g

/** JavaScript: escapes only where JSON asks for it. */
const plain: Rewrite = (text) => (text.includes('\\') ? JSON.stringify(JSON.parse(text)) : text)
/** Python: `json.dumps`. */
const ascii: Rewrite = (text) => plain(text).replace(beyondAscii, escapeLower)

/** How the serializers of other languages write strings. */
export const stringForms = {
  kept: (text) => text,
  plain,
  ascii,
  /** Java: Jackson with ESCAPE_NON_ASCII. */
  asciiUpper: (text) => plain(text).replace(beyondAscii, escapeUpper),
  /** PHP with JSON_UNESCAPED_UNICODE, and other serializers that escape slashes. */
  slashes: (text) => plain(text).replaceAll('/', '\\/'),
  /** PHP: `json_encode`. */
  asciiSlashes: (text) => ascii(text).replaceAll('/', '\\/'),
  /** Go: `encoding/json`. */
  html: (text) => plain(text).replace(/[<>&\u2028\u2029]/g, escapeLower),
  /** .NET: `System.Text.Json`. */
  dotnet: (text) =>
    plain(text)
      .replaceAll('\\"', '\\u0022')
      .replace(/[<>&'+`]/g, escapeUpper)
      .replace(beyondAscii, escapeUpper),
} satisfies Record<string, Rewrite>

/** How numbers are written again. */
export const numberForms = {
  kept: (text) => text,
  /** JavaScript: `10.50` becomes `10.5`, `1e2` becomes `100`. */
  javascript: (text) => JSON.stringify(Number(text)),
  /** Fractions with two digits, as money is written; whole numbers stay. */
  cents: (text) => (text.includes('.') ? twoDigits(text) : text),
  /** Every number with two digits. */
  twoDigits: (text) => twoDigits(text),
  /** Whole numbers as a float of Python or Java writes them. */
  pointZero: (text) => (/^-?\d+$/.test(text) ? `${text}.0` : text),
} satisfies Record<string, Rewrite>

function twoDigits(text: string): string {
  const value = Number(text)
  return Math.abs(value) < 1e15 ? value.toFixed(2) : text
}

const indents = { minified: '', spaced: '', '2': '  ', '4': '    ', tab: '\t' } as const

/** The keys of an event in the order in which the service interface lists them. */
const interfaceOrder = [
  ...['id', 'type', 'environment', 'product', 'createdAt', 'created_at', 'data'],
  ...[
    'transferId',
    'transfer_id',
    'approvalId',
    'approval_id',
    'status',
    'rail',
    'ledgerState',
    'ledger_state',
  ],
]

/** Writes JSON in a form. White space around the whole stays only where the layout is kept. */
export function write({ before, value, after }: Item, form: Form): string {
  if (form.layout === 'kept') {
    return before + writeKept(value, form) + after
  }
  return writeAnew(value, form, '\n')
}

function writeKept(node: Node, form: Form): string {
  switch (node.kind) {
    case 'object': {
      const ordered = inOrder(node.items, form.order)
      // White space belongs to the place, not to the member that stands there.
      const members = node.items.map(({ before, after }, place) => {
        const { key, colon, value } = ordered[place] as Member
        return before + stringForms[form.strings](key) + colon + writeKept(value, form) + after
      })
      return `{${node.inner}${members.join(',')}}`
    }
    case 'array':
      return `[${node.inner}${node.items.map(({ before, value, after }) => before + writeKept(value, form) + after).join(',')}]`
    default:
      return scalar(node, form)
  }
}

function writeAnew(node: Node, form: Form, lineBreak: string): string {
  if (node.kind !== 'object' && node.kind !== 'array') {
    return scalar(node, form)
  }
  const [open, close] = node.kind === 'object' ? '{}' : '[]'
  if (node.items.length === 0) {
    return `${open}${close}`
  }
  const indent = indents[form.layout as keyof typeof indents]
  const inner = lineBreak + indent
  const colon = form.layout === 'minified' ? ':' : ': '
  const parts =
    node.kind === 'object'
      ? inOrder(node.items, form.order).map(
          ({ key, value }) => stringForms[form.strings](key) + colon + writeAnew(value, form, inner),
        )
      : node.items.map(({ value }) => writeAnew(value, form, inner))
  if (indent !== '') {
    return `${open}${inner}${parts.join(`,${inner}`)}${lineBreak}${close}`
  }
  return `${open}${parts.join(form.layout === 'spaced' ? ', ' : ',')}${close}`
}

function scalar(node: Exclude<Node, { items: unknown }>, form: Form): string {
  if (node.kind === 'string') {
    return stringForms[form.strings](node.text)
  }
  return node.kind === 'number' ? numberForms[form.numbers](node.text) : node.text
}

function inOrder(members: readonly Member[], order: Form['order']): readonly Member[] {
  if (order === 'kept') {
    return members
  }
  const named = members.map((member) => ({ member, name: nameOf(member.key) }))
  if (order === 'sorted') {
    named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  } else {
    named.sort((a, b) => rank(a.name) - rank(b.name))
  }
  return named.map(({ member }) => member)
}

const nameOf = (key: string) => (key.includes('\\') ? (JSON.parse(key) as string) : key.slice(1, -1))

function rank(name: string): number {
  const place = interfaceOrder.indexOf(name)
  return place < 0 ? interfaceOrder.length : place
}
