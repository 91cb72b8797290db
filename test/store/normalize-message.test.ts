import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { normalizeMessage } from '../../src/store/normalize-message.js'
import { placeOf } from '../../src/store/stack-place.js'

const random = (n: number) => randomBytes(n)

describe('a normalized message', () => {
  const ids: Record<string, () => string> = {
    'a UUID': () => randomUUID(),
    'a number': () => String(random(4).readUInt32BE()),
    'a decimal': () => (Math.random() * 1e6).toFixed(2),
    'hex digits': () => random(12).toString('hex'),
    'an id with a prefix': () => `evt_${random(10).toString('hex')}`,
    'an email address': () => `user.${random(3).toString('hex')}@example.com`,
    'a time': () => new Date(random(4).readUInt32BE() * 1000).toISOString(),
    'an address with a port': () => `${random(4).join('.')}:${random(2).readUInt16BE()}`,
    'a quoted name': () => `"${random(9).toString('base64')}"`,
    'a list of numbers': () =>
      Array.from({ length: 1 + (random(1)[0] as number) / 20 }, () => random(1)[0]).join(', '),
    'a random text of 32 letters': () =>
      Array.from(random(32), (byte) => String.fromCharCode(97 + (byte % 26))).join(''),
  }

  test.each(Object.entries(ids))('holds no %s', (_, id) => {
    const seen = new Set<string>()
    for (let i = 0; i < 2000; i++) {
      seen.add(normalizeMessage(`no account ${id()} in this ledger`))
    }
    expect([...seen]).toEqual(['no account * in this ledger'])
  })

  test.each([
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED *'],
    ['Request failed with status code 503', 'Request failed with status code 503'],
    ['no such barcode 503', 'no such barcode *'],
    ['HTTP 404 for /transfers/42', 'HTTP 404 for /*'],
    [
      "Cannot read properties of undefined (reading 'amount')",
      'Cannot read properties of undefined (reading *)',
    ],
    ["the handler doesn't know it", "the handler doesn't know it"],
    ['  two\n\tlines  \0', 'two lines'],
    ['Zahlung über 12 € ungültig', 'Zahlung über * € ungültig'],
    ['Küste1 fehlt', '* fehlt'],
    ['a “quoted” name', 'a * name'],
    ['a «quoted» name', 'a * name'],
    ['ab\u3000b1', 'ab\u3000*'],
    ['the "open quote stays', 'the "open quote stays'],
    ['1 , 2', '*'],
    ['1 ,.;: 2', '* ,.;: *'],
    ['deadbeef DEADBEEF', '*'],
    ['deadbee DeadBeef', 'deadbee DeadBeef'],
    ['abcdefghijklmnop', '*'],
    ['abcdefghijklmno', 'abcdefghijklmno'],
    ['calculateTheBalance', 'calculateTheBalance'],
    ['abcdEfghIjklMnopQrst', 'abcdEfghIjklMnopQrst'],
    ['abcDefgHijkLmnoPqrsT', 'abcDefgHijkLmnoPqrsT'],
    ['aBcDeFgHiJkLmNoPq', '*'],
    ['evt_abcdefghijklmnop', '*'],
    ['two  spaces', 'two spaces'],
    ['1 x 2', '* x *'],
    ['account=7', 'account=*'],
    ['list[7] of map{8}', 'list[*] of map{*}'],
    ['ab\u00a0b1', 'ab\u00a0*'],
    ['it failed. 7 are left', 'it failed. * are left'],
    ['status 1503', 'status *'],
    ['status 5031', 'status *'],
    ['statuses 503', 'statuses *'],
    ['', ''],
  ])('keeps the words of %j', (message, normal) => {
    expect(normalizeMessage(message)).toBe(normal)
  })

  test('keeps at most 200 characters', () => {
    expect(normalizeMessage('word '.repeat(100)).length).toBeLessThanOrEqual(200)
  })

  test('keeps as much of a message that begins with spaces', () => {
    const message = 'words '.repeat(100)
    expect(normalizeMessage(`  ${message}`)).toBe(normalizeMessage(message))
  })

  test('keeps what follows an apostrophe in a long text, and nothing after another open quote', () => {
    const rest = 'word '.repeat(3000)
    expect(normalizeMessage(`the 'open ${rest}`)).toContain("the 'open word")
    expect(normalizeMessage(`the "open ${rest}`)).toBe('the *')
  })

  test('has an open quote to the end of a message only where the message is cut', () => {
    const text = `a "${' word'.repeat(2000)}`
    expect(normalizeMessage(text.slice(0, 8192))).toMatch(/^a " word word/)
    expect(normalizeMessage(text.slice(0, 8193))).toBe('a *')
  })

  test('ignores what follows a long quoted text, however long it is', () => {
    const of = (n: number) => normalizeMessage(`bad body "${'x'.repeat(n)}" of the sender`)
    expect(of(20_000)).toBe(of(9000))
  })

  test('takes hardly longer for a million nasty characters than for ten thousand', () => {
    const nasty = [
      '"',
      "'",
      '`',
      '*',
      ' ',
      '1',
      'a',
      '-',
      '"\'',
      'a-',
      '1,',
      '"a',
      "a'",
      ':/',
      'é',
      'aB',
      '\n    at x (/a:1:1)',
    ]
    for (const part of nasty) {
      const message = part.repeat(1_000_000 / part.length)
      const startedAt = performance.now()
      expect(normalizeMessage(message).length).toBeLessThanOrEqual(200)
      placeOf(`Error: ${message}\n    at run (/srv/app/a.ts:1:1)`, message)
      // A search of the rest for each quote would take minutes.
      expect(performance.now() - startedAt, part).toBeLessThan(500)
    }
  })
})
