import { byteEdits } from './byte-edits.js'
import type { Change } from './causes.js'
import type { CapturedDelivery } from './diagnosis.js'
import { jsonForms, maxJsonBytes } from './json/forms.js'

/** Bytes that may have been signed instead of those that were given. */
export interface BodyForm {
  readonly changes: readonly Change[]
  readonly cost: number
  /** How long a byte of it takes to make, compared with hashing it. */
  readonly effort: number
  /** Made when it is needed: all of them together would not fit into memory. */
  readonly make: () => Uint8Array
}

const utf8 = new TextEncoder()
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const jsonEffort = 16
const byteOrderMark = '\ufeff'

/** Every form of the body to try, the given bytes first; and what was left out. */
export function bodyForms(
  body: Uint8Array,
  others: readonly CapturedDelivery[],
): { forms: BodyForm[]; leftOut: string[] } {
  const leftOut: string[] = []
  const forms: BodyForm[] = [
    { changes: [], cost: 0, effort: 0, make: () => body },
    ...edited(body),
    ...bodiesOf(others),
  ]
  if (body.length <= maxJsonBytes) {
    forms.push(...editedTwice(body), ...reserialized(body))
  } else {
    leftOut.push('JSON that was parsed and serialized again: the body is larger than 2 MiB')
  }
  return { forms, leftOut }
}

function bodiesOf(others: readonly CapturedDelivery[]): BodyForm[] {
  return others.map(({ name = 'another delivery', body }) => ({
    changes: [
      { code: 'header_from_another_delivery', evidence: `The signature belongs to the body of ${name}.` },
    ],
    cost: 1,
    effort: 0,
    make: () => body,
  }))
}

function edited(body: Uint8Array): BodyForm[] {
  return byteEdits(body).map(({ change, make }) => ({ changes: [change], cost: 1, effort: 1, make }))
}

/** One edit after another. */
function editedTwice(body: Uint8Array): BodyForm[] {
  return byteEdits(body).flatMap(({ change, make }) =>
    byteEdits(make())
      .filter((second) => second.change.code !== change.code)
      .map((second) => ({ changes: [change, second.change], cost: 2, effort: 1, make: second.make })),
  )
}

function reserialized(body: Uint8Array): BodyForm[] {
  const text = decode(body)
  if (text === undefined) {
    return []
  }
  const hasMark = text.startsWith(byteOrderMark)
  const mark: Change = { code: 'body_bom_added', evidence: 'The given body begins with EF BB BF.' }
  return jsonForms(hasMark ? text.slice(1) : text).flatMap((form) => {
    const changes = hasMark ? [mark, ...form.changes] : form.changes
    const cost = form.cost + (hasMark ? 1 : 0)
    return [
      { changes, cost, effort: jsonEffort, make: () => utf8.encode(form.make()) },
      {
        changes: [
          ...changes,
          { code: 'body_line_break_removed', evidence: 'The signed body ends with \\n.' },
        ],
        cost: cost + 1,
        effort: jsonEffort,
        make: () => utf8.encode(`${form.make()}\n`),
      },
    ]
  })
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return undefined
  }
}
