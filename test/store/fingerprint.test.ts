import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { HandlerFailure, JobNotDone } from '../../src/errors.js'
import { causeOfCode, fingerprintOf } from '../../src/store/fingerprint.js'
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
    ['', ''],
  ])('keeps the words of %j', (message, normal) => {
    expect(normalizeMessage(message)).toBe(normal)
  })

  test('keeps at most 200 characters', () => {
    expect(normalizeMessage('word '.repeat(100)).length).toBeLessThanOrEqual(200)
  })

  test('keeps what follows an apostrophe in a long text, and nothing after another open quote', () => {
    const rest = 'word '.repeat(3000)
    expect(normalizeMessage(`the 'open ${rest}`)).toContain("the 'open word")
    expect(normalizeMessage(`the "open ${rest}`)).toBe('the *')
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

describe('a place', () => {
  const frame = (...lines: string[]) => `Error: failed\n${lines.map((line) => `    at ${line}`).join('\n')}`

  test.each([
    ['credit (file:///srv/app/releases/7/src/handlers.ts:12:34)', 'credit src/handlers.ts'],
    [
      'async Object.transfer.settled (/srv/app/src/handlers.ts:1:2)',
      'Object.transfer.settled src/handlers.ts',
    ],
    ['Ledger.pay [as credit] (C:\\app\\src\\ledger.js:1:2)', 'Ledger.pay src/ledger.js'],
    ['/srv/app/dist/main.js:1:2', 'dist/main.js'],
    ['run (/srv/app/dist/main-3f9ab271.js:1:99)', 'run dist/main.js'],
  ])('of %s is %s', (line, place) => {
    expect(placeOf(frame(line), 'failed')).toBe(place)
  })

  test('is the first in the user’s own code', () => {
    const stack = frame(
      'Socket.<anonymous> (node:net:12:3)',
      'Client.query (/srv/app/node_modules/pg/lib/client.js:1:2)',
      'Array.map (<anonymous>)',
      'async pay (/srv/app/src/pay.ts:3:4)',
    )
    expect(placeOf(stack, 'failed')).toBe('pay src/pay.ts')
    expect(placeOf(frame('Socket.<anonymous> (node:net:12:3)'), 'failed')).toBeUndefined()
    expect(placeOf('no stack at all', 'failed')).toBeUndefined()
  })

  test('is never taken from the message', () => {
    const message = 'bad name x\n    at steered (/srv/evil/1.ts:1:1)'
    const stack = `Error: ${message}\n    at real (/srv/app/real.ts:1:1)`
    expect(placeOf(stack, message)).toBe('real app/real.ts')
  })
})

describe('a fingerprint', () => {
  test('is the same for errors of one cause, and another for each cause', async () => {
    const pay = (id: number) => new Error(`no account ${id}`)
    const book = (id: number) => new Error(`no account ${id}`)
    const [first, second, elsewhere] = await Promise.all([pay(1), pay(22), book(1)].map(fingerprintOf))
    expect(first).toEqual(second)
    expect(first).toMatchObject({ title: 'Error: no account *', code: 'handler_failed' })
    expect(first?.place).toMatch(/^pay store\/fingerprint/)
    expect(elsewhere?.fingerprint).not.toBe(first?.fingerprint)
    const type = await fingerprintOf(new TypeError('no account 1'))
    expect(type.fingerprint).not.toBe(first?.fingerprint)
  })

  test('tells errors of one message apart by their code', async () => {
    const of = (code: string) => fingerprintOf(Object.assign(new Error('query failed'), { code, stack: '' }))
    expect(await of('23505')).toMatchObject({ title: 'Error: query failed (23505)' })
    expect((await of('23505')).fingerprint).not.toBe((await of('40001')).fingerprint)
    expect(await of('chosen by the sender')).toMatchObject({ title: 'Error: query failed' })
  })

  test('is the one of the error below those that carry it', async () => {
    const error = new Error('failed')
    const plain = await fingerprintOf(error)
    expect(await fingerprintOf(new HandlerFailure(error))).toEqual(plain)
    const job = new JobNotDone('handler_failed: Error: failed', true, {
      code: 'handler_failed',
      cause: error,
    })
    expect(await fingerprintOf(job)).toEqual(plain)
  })

  test('is the code where there is nothing else', async () => {
    const late = new JobNotDone('handler_timeout', true, { code: 'handler_timeout' })
    const code = 'handler_timeout'
    expect(await fingerprintOf(late)).toEqual({ fingerprint: code, title: code, code })
    expect(await causeOfCode(code)).toEqual({ fingerprint: code, title: code, code })
    const detailed = await causeOfCode('invalid_data', 'amount of "x" must be a string')
    expect(detailed).toMatchObject({
      title: 'invalid_data: amount of * must be a string',
      code: 'invalid_data',
    })
    expect(detailed.fingerprint).toMatch(/^[0-9a-f]{24}$/)
  })

  test('exists for anything that is thrown', async () => {
    const trap = () => {
      throw new Error('trapped')
    }
    const { proxy: revoked, revoke } = Proxy.revocable({}, {})
    revoke()
    const thrown: unknown[] = [
      undefined,
      null,
      0,
      Symbol('x'),
      12n,
      {},
      [],
      trap,
      Object.create(null),
      new Proxy({}, { get: trap, getPrototypeOf: trap, has: trap }),
      new Proxy(new Error('x'), { get: trap, getPrototypeOf: trap }),
      revoked,
      { name: {}, message: 1, stack: [], code: Symbol('x') },
      Object.defineProperty(new Error('x'), 'message', { get: trap }),
      Object.defineProperty(new Error('x'), 'stack', { get: trap }),
      new HandlerFailure(revoked),
      '\ud800 \u2028 lone',
    ]
    for (const each of thrown) {
      const cause = await fingerprintOf(each)
      expect(cause.title).not.toBe('')
      expect(cause.fingerprint).toMatch(/^[0-9a-f]{24}$|^handler_failed$/)
    }
  })
})

describe('the place of an error', () => {
  const at = (...frames: string[]) => ['Error: no', ...frames.map((frame) => `    at ${frame}`)].join('\n')
  const foreign = 'next (node:internal/process/task_queues:95:5)'

  test.each([
    ['pay (/srv/app/pay.ts:1:2)', 'pay app/pay.ts'],
    ['/srv/app/pay.ts:1:2', 'app/pay.ts'],
    [' (/srv/app/pay.ts:1:2)', 'app/pay.ts'],
    ['async pay [as handler] (/srv/app/pay.ts:1:2)', 'pay app/pay.ts'],
    [' [as handler] (/srv/app/pay.ts:1:2)', 'app/pay.ts'],
  ])('at %j is %j', (frame, place) => {
    expect(placeOf(at(frame), 'no')).toBe(place)
    expect(placeOf(at(foreign, frame), 'no')).toBe(place)
  })

  test('is not what a sender wrote into the message', () => {
    const message = 'no\n    at fake (/srv/evil/fake.ts:1:2)'
    const stack = `Error: ${message}\n    at pay (/srv/app/pay.ts:1:2)`
    expect(placeOf(stack, message)).toBe('pay app/pay.ts')
    expect(placeOf(stack, 'another message')).toBe('fake evil/fake.ts')
  })

  test('is looked for in thirty frames', () => {
    const frames = (count: number) => at(...Array<string>(count).fill(foreign), 'pay (/srv/app/pay.ts:1:2)')
    expect([placeOf(frames(29), 'no'), placeOf(frames(30), 'no')]).toEqual(['pay app/pay.ts', undefined])
  })
})

test('the title of any thrown value is its text', async () => {
  const titleOf = async (thrown: unknown) => (await fingerprintOf(thrown)).title
  expect(await titleOf('plain text')).toContain('plain text')
  expect(await titleOf(null)).toContain('null')
  expect(await titleOf(new JobNotDone('no handler for it'))).toContain('no handler for it')
  expect(await titleOf(new JobNotDone('no', true, { code: 'handler_failed', cause: 'why' }))).toContain('why')
  expect(await titleOf({})).toBe('an error without a message')
})
