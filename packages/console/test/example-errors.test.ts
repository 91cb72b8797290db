import { expect, it } from 'vitest'
import { tellingParts } from '../src/views/example-errors.js'

const prefix = `the ledger at ledger-7.payments.internal:8443 refuses ${'the posting of '.repeat(3)}`
const long = 'x'.repeat(300)

it.each<[what: string, errors: string[], parts: (string | undefined)[]]>([
  [
    'short errors are shown whole',
    ['account 1 is closed', 'account 2 is closed'],
    ['account 1 is closed', 'account 2 is closed'],
  ],
  [
    'a long beginning that they share is left out',
    [`${prefix}Ada`, `${prefix}Bob`, `${prefix}Ada again`],
    [
      '…posting of the posting of Ada',
      '…posting of the posting of Bob',
      '…posting of the posting of Ada again',
    ],
  ],
  ['errors that do not differ tell nothing', ['no', 'no'], [undefined, undefined]],
  ['an error that ends where the others continue', ['', 'no'], ['', 'no']],
  ['a long end is cut', [`a ${long}`, `b ${long}`], [`a ${long.slice(0, 238)}…`, `b ${long.slice(0, 238)}…`]],
  [
    'of one error the part behind its title is shown',
    [`${'word '.repeat(40)}and the cause`],
    ['…word word word word and the cause'],
  ],
])('%s', (_, errors, parts) => {
  expect(tellingParts(errors)).toEqual(parts)
})
