import { describe, expect, it } from 'vitest'
import { isCut, tellingParts, unclearTitles } from '../src/views/example-errors.js'
import { plannedCauses } from '../src/views/planned-causes.js'
import { fileNameOf, snippets } from '../src/views/snippets.js'
import { spreadSample } from '../src/views/spread-sample.js'

describe('a sample', () => {
  const kindOf = (row: string) => row.slice(0, 1)
  it.each<[rows: string, most: number, sample: string]>([
    ['a1', 3, 'a1'],
    ['', 3, ''],
    ['a1 a2 a3', 3, 'a1 a2 a3'],
    ['a1 a2 a3 a4 a5', 1, 'a1'],
    ['a1 a2 a3 a4 a5', 2, 'a1 a5'],
    ['a1 a2 a3 a4 a5', 3, 'a1 a3 a5'],
    ['a1 a2 a3 a4 b1', 3, 'a1 a4 b1'],
    ['b1 a1 a2 a3 a4 c1', 5, 'b1 a1 a3 a4 c1'],
    ['a1 b1 c1 d1', 2, 'a1 b1'],
    ['a1 b1 a2 b2 a3 b3', 4, 'a1 b1 a3 b3'],
    ['a1 b1 a2 b2 a3 b3', 5, 'a1 b1 a2 a3 b3'],
    ['a1 a2 b1', 9, 'a1 a2 b1'],
  ])('of %j, at most %i, is %j', (rows, most, sample) => {
    const given = rows === '' ? [] : rows.split(' ')
    expect(spreadSample(given, kindOf, most).join(' ')).toBe(sample)
  })
})

describe('a title', () => {
  it('may have been cut from 199 characters on', () => {
    expect([isCut('x'.repeat(198)), isCut('x'.repeat(199)), isCut('x'.repeat(200))]).toEqual([
      false,
      true,
      true,
    ])
  })

  it('does not tell its cause where another one is equal, or where it was cut', () => {
    const long = 'x'.repeat(199)
    expect(unclearTitles([])).toEqual([])
    expect(unclearTitles(['a', 'b', 'a', long, 'c', 'b'])).toEqual([0, 1, 2, 3, 5])
    expect(unclearTitles(['a', 'b'])).toEqual([])
  })
})

describe('the telling part of an error', () => {
  it('begins at a word before the first difference, where more than 40 characters are the same', () => {
    const same = (length: number) => `${'word '.repeat(length / 5)}`
    expect(tellingParts([`${same(40)}a`, `${same(40)}b`])).toEqual([`${same(40)}a`, `${same(40)}b`])
    expect(tellingParts([`${same(45)}a`, `${same(45)}b`])).toEqual([
      '…word word word word a',
      '…word word word word b',
    ])
    expect(tellingParts([`${'x'.repeat(45)}a`, `${'x'.repeat(45)}b`])).toEqual([
      `${'x'.repeat(45)}a`,
      `${'x'.repeat(45)}b`,
    ])
  })

  it('has 240 characters at most', () => {
    const [fits, tooLong] = tellingParts(['a'.repeat(240), `b${'a'.repeat(240)}`])
    expect([fits, tooLong]).toEqual(['a'.repeat(240), `b${'a'.repeat(239)}…`])
  })

  it('is only the text that the title leaves out, if there is one error', () => {
    expect(tellingParts(['short'])).toEqual(['short'])
    expect(tellingParts([`${'x'.repeat(170)} y ${'z'.repeat(60)}`])).toEqual([`…${'z'.repeat(60)}`])
    expect(tellingParts(['x'.repeat(250)])).toEqual([`${'x'.repeat(240)}…`])
    expect(tellingParts([''])).toEqual([''])
    expect(tellingParts([])).toEqual([])
  })

  it('is left out where no error differs', () => {
    expect(tellingParts(['same', 'same', 'same'])).toEqual([undefined, undefined, undefined])
    expect(tellingParts(['same', 'same', 'sam'])).toEqual(['same', 'same', 'sam'])
  })
})

it('counts the causes of events, the most first, with their titles', async () => {
  const events = ['a', 'b', 'b', 'c', undefined, 'b', 'c'].map((group) => ({ group }))
  const groups = ['b', 'a', 'other'].map((group) => ({ group }))
  const asked: string[][] = []
  const titlesOf = async (shown: readonly { group: string }[]) => {
    asked.push(shown.map(({ group }) => group))
    return shown.map(({ group }) => `title of ${group}`)
  }
  expect(await plannedCauses(events as never, groups as never, titlesOf as never)).toEqual({
    rows: [
      { group: 'b', title: 'title of b', count: 3 },
      { group: 'c', title: 'A cause that is not kept any more', count: 2 },
      { group: 'a', title: 'title of a', count: 1 },
    ],
    rest: 1,
  })
  expect(asked).toEqual([['b', 'a']])
})

describe('a snippet', () => {
  it.each([
    ['transfer.settled', 'curl', 'transfer-settled.sh'],
    ['transfer.settled', 'vitest', 'transfer-settled.test.ts'],
    ['transfer.settled', 'fixture', 'transfer-settled.json'],
    ['../A_b-1 ä/x', 'curl', '-A_b-1-x.sh'],
    ['x'.repeat(70), 'curl', `${'x'.repeat(60)}.sh`],
    ['', 'curl', 'event.sh'],
  ] as const)('of the type %j as %s is in the file %s', (type, kind, name) => {
    expect(fileNameOf(type, kind)).toBe(name)
  })

  it('for a shell quotes the body, and lets no id begin another header', () => {
    expect(snippets.curl({ id: "evt_'1'\r\nX: ä~ ", body: `{"a":"it's"}` })).toBe(`BODY='{"a":"it'\\''s"}'
SECRET='whsec_test_secret'
TIME=$(date +%s)
SIGNATURE=$(printf '%s.%s' "$TIME" "$BODY" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d ' ' -f 1)
curl "\${RECEIVER_URL:?set it to the address of a receiver with the test secret}" \\
  -H 'Content-Type: application/json' \\
  -H 'Service-Event-Id: evt_'\\''1'\\''??X: ?~ ' \\
  -H "Service-Signature: t=$TIME,v1=$SIGNATURE" \\
  --data-raw "$BODY"
`)
  })

  it('for a test has the id and the body as literals', () => {
    expect(snippets.vitest({ id: 'evt_"1"', body: '{"a":1}' })).toBe(`import { expect, it } from 'vitest'
import { deliveryOf } from 'webhook-inbox/testing'
// A receiver whose secret is testSecret of webhook-inbox/testing.
import { receiver } from './receiver.js'

it('receives the event', async () => {
  const id = "evt_\\"1\\""
  const body = "{\\"a\\":1}"
  const { outcome } = await receiver.receive(await deliveryOf(body, { id }))
  expect(outcome).toMatch(/^(?:accepted|processed)$/)
})
`)
  })

  it('as a fixture is a signed delivery', async () => {
    const text = (await snippets.fixture({ id: 'evt_1', body: '{"a":1}' })) as string
    expect(text).toMatch(/^\{\n {2}"headers": \{\n[\s\S]*\n\}\n$/)
    const { headers, body } = JSON.parse(text)
    expect(body).toBe('{"a":1}')
    expect(Object.entries(headers).flat().join(' ')).toMatch(/evt_1/)
    expect(Object.entries(headers).flat().join(' ')).toMatch(/t=\d+,v1=[0-9a-f]{64}/)
  })
})
