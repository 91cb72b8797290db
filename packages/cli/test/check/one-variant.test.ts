import { describe, expect, it } from 'vitest'
import { record } from './recorder.js'

/** Cases that send several deliveries to acknowledge, with the name of each. */
const valid: Readonly<Record<string, readonly string[]>> = {
  'known-types': ['transfer.settled', 'transfer.failed', 'ledger.matched', 'approval.updated'],
  'unknown-type': ['evidence.exported', 'constructor'],
  'within-tolerance': ['150 s ago', '150 s ahead'],
  'several-signatures': ['right one first', 'right one last'],
  duplicate: ['delivery 1', 'delivery 2', 'delivery 3'],
  'out-of-order': ['ledger.matched', 'transfer.settled'],
}

/** Cases that send deliveries to reject. */
const invalid: Readonly<Record<string, readonly string[]>> = {
  'malformed-header': [
    'an empty header',
    'garbage',
    'commas and equals signs',
    'no t',
    'an empty t',
    'a t that is no number',
    'a negative t',
  ],
  'no-signature-in-header': ['t alone', 'an empty v1'],
  'other-tag-alone': ['v0', 'v2'],
  'short-signature': ['one character', 'all but two characters'],
  'undecodable-signature': ['other characters'],
  'long-header': ['many signatures'],
  'empty-body': ['no bytes'],
  'not-json': ['cut off JSON', 'plain text'],
  'not-an-event': ['null', 'an array', 'no id', 'data null'],
  'other-methods': ['GET', 'HEAD', 'PUT'],
}

const each = (cases: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(cases).flatMap(([id, names]) => names.map((name, at) => [id, name, at + 1] as const))

describe('a case of several deliveries names the one that the receiver gets wrong', () => {
  it.each(each(valid))('%s: %s', async (id, name, wrong) => {
    const { finding } = await record(id, (turn) => (turn === wrong ? 400 : 200))
    expect(finding).toMatch(new RegExp(`^(fail|warn) ${name}: 400.*; a valid delivery was rejected$`))
  })

  it.each(each(invalid))('%s: %s', async (id, name, wrong) => {
    const { finding } = await record(id, (turn) => (turn === wrong ? 200 : 400))
    expect(finding).toMatch(new RegExp(`^(fail|warn) ${name}: 200.*; it was acknowledged`))
  })
})

it.each([
  ['valid-camel-case', -2, 'behind'],
  ['valid-snake-case', 2, 'ahead of'],
])('%s says that the clock is wrong, beside what it finds', async (id, hours, side) => {
  const date = new Date(Date.now() + hours * 3_600_000).toUTCString()
  const { finding } = await record(id, 400, 'ok', { date })
  expect(finding).toMatch(
    new RegExp(`^fail 400; a valid delivery was rejected; its clock is 7[12]\\d\\d s ${side} this one$`),
  )
  expect((await record(id, 200, 'ok', { date })).finding).toBe('pass 200')
})
