import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { HandlerFailure, JobNotDone } from '../../src/errors.js'
import { causeOfCode, fingerprintOf } from '../../src/store/fingerprint.js'

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
    for (const other of ['chosen by the sender', 'failed AT', 'AT 7', 'AB', 'A'.repeat(41)]) {
      expect(await of(other)).toMatchObject({ title: 'Error: query failed' })
    }
  })

  test('of an error of several has the messages of all', async () => {
    const all = new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:5432')])
    const refused = Object.assign(all, { code: 'ECONNREFUSED' })
    expect((await fingerprintOf(refused)).title).toBe('AggregateError: connect ECONNREFUSED *')
    const rejected = await Promise.any([Promise.reject(new Error('no ledger'))]).catch((error) => error)
    expect((await fingerprintOf(rejected)).title).toBe(
      'AggregateError: All promises were rejected; causes: no ledger',
    )
  })

  test('has the message of the cause where no code says why', async () => {
    const failed = (cause: Error) => fingerprintOf(new TypeError('fetch failed', { cause }))
    expect((await failed(new Error('bad port 17'))).title).toBe('TypeError: fetch failed; cause: bad port *')
    const coded = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    expect((await failed(coded)).title).toBe('TypeError: fetch failed (ECONNREFUSED)')
    const told = new Error('fetch failed: bad port', { cause: new Error('bad port') })
    expect((await fingerprintOf(told)).title, 'the message has it').toBe('Error: fetch failed: bad port')
    const reset = Object.assign(new Error('read ECONNRESET', { cause: new Error('closed') }), {
      code: 'ECONNRESET',
    })
    expect((await fingerprintOf(reset)).title, 'the code says why').toBe('Error: read ECONNRESET')
    const long = await failed(new Error('why '.repeat(10_000)))
    expect(long.title.length).toBeLessThan(500)
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

  test('is another one if the same code is about something else', async () => {
    const job = new JobNotDone('invalid_data', true, { code: 'invalid_data', detail: 'no amount' })
    expect(await fingerprintOf(job)).toEqual(await causeOfCode('invalid_data', 'no amount'))
  })

  test('stays the same from one version to the next, because stores keep it', async () => {
    const hash = (...parts: string[]) =>
      createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24)
    const error = Object.assign(new Error('failed'), { stack: '' })
    const placed = Object.assign(new Error('failed'), {
      stack: 'Error: failed\n    at pay (/srv/app/pay.ts:1:2)',
    })
    expect((await fingerprintOf(error)).fingerprint).toBe(hash('Error: failed', ''))
    expect((await fingerprintOf(placed)).fingerprint).toBe(hash('Error: failed', 'pay app/pay.ts'))
    const { fingerprint } = await causeOfCode('invalid_data', 'no amount')
    expect(fingerprint).toBe(hash('invalid_data: no amount', ''))
  })

  test('of a class that was thrown instead of an error has its name', async () => {
    expect(await fingerprintOf(TypeError)).toMatchObject({ title: 'TypeError', code: 'handler_failed' })
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

test('the title of any thrown value is its text', async () => {
  const titleOf = async (thrown: unknown) => (await fingerprintOf(thrown)).title
  expect(await titleOf('plain text')).toContain('plain text')
  expect(await titleOf(null)).toContain('null')
  expect(await titleOf(new JobNotDone('no handler for it'))).toContain('no handler for it')
  expect(await titleOf(new JobNotDone('no', true, { code: 'handler_failed', cause: 'why' }))).toContain('why')
  expect(await titleOf({})).toBe('an error without a message')
  expect(await titleOf({ name: 'RailError', message: 'rail 7 is down' })).toBe('RailError: rail * is down')
  const hidden = Object.defineProperty(new TypeError('no'), 'message', {
    get() {
      throw new Error('trapped')
    },
  })
  expect(await titleOf(hidden)).toBe('TypeError')
})
