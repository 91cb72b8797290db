import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { HandlerFailure } from '../../src/errors.js'
import { dedupeKey } from '../../src/store/key.js'
import { reasonOf } from '../../src/store/reason.js'
import { LazyAbort } from '../../src/timing/lazy-abort.js'
import { runs } from '../fuzz-runs.js'

describe('dedupeKey', () => {
  it('is SHA-256 over endpoint, a zero byte and id', async () => {
    const expected = createHash('sha256')
      .update('default')
      .update(Buffer.from([0]))
      .update('evt_1')
      .digest('hex')
    expect(await dedupeKey('default', 'evt_1')).toBe(expected)
  })

  it('differs for every pair of endpoint and id, wherever the endpoint ends', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ':', '.'), maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(text, text, text, text, async (endpoint, id, otherEndpoint, otherId) => {
        const isSame = endpoint === otherEndpoint && id === otherId
        expect((await dedupeKey(endpoint, id)) === (await dedupeKey(otherEndpoint, otherId))).toBe(isSame)
      }),
      { numRuns: runs(2000) },
    )
  })

  it.each(['', 'é', '\u{1f4b8}', 'a:b', '__proto__', 'x'.repeat(2048)])(
    'is 64 hex digits for the id %j',
    async (id) => {
      expect(await dedupeKey('default', id)).toMatch(/^[0-9a-f]{64}$/)
    },
  )
})

describe('the reason that an inbox keeps', () => {
  const unprintable = {
    toString() {
      throw new Error('no')
    },
  }
  const severalErrors = Object.assign(
    new AggregateError([new Error('connect to a'), new Error('connect to b')]),
    {
      code: 'EX',
    },
  )
  it.each<[string, unknown, string]>([
    ['an error', new TypeError('no account'), 'TypeError: no account'],
    ['what a handler threw', new HandlerFailure(new RangeError('no funds')), 'RangeError: no funds'],
    ['a handler that threw no error', new HandlerFailure('text'), 'text'],
    ['a plain object', { code: 'RAIL_DOWN', message: 'rail is down' }, 'rail is down (RAIL_DOWN)'],
    ['a plain object with a name', { name: 'RailError', message: 'down' }, 'RailError: down'],
    ['a plain object without a message', { token: 'secret' }, '[object Object] with token'],
    ['an empty object', {}, '[object Object] with no keys'],
    ['an error with a code', Object.assign(new Error('taken'), { code: '23505' }), 'Error: taken (23505)'],
    ['an error whose code is no word', Object.assign(new Error('no'), { code: 'a b' }), 'Error: no'],
    ['several errors without a message', severalErrors, 'AggregateError: connect to a, connect to b (EX)'],
    [
      'several errors',
      new AggregateError(['a', 'b', 'b', 'c', 'd'], 'all'),
      'AggregateError: all; causes: a, b, c and 1 more',
    ],
    [
      'a cause of several',
      new Error('no', { cause: severalErrors }),
      'Error: no; cause: connect to a, connect to b',
    ],
    ['a string', 'text', 'text'],
    ['nothing', undefined, 'undefined'],
    ['an object without a prototype', Object.create(null), 'something was thrown that cannot be printed'],
    ['an object that cannot be printed', unprintable, 'something was thrown that cannot be printed'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a text with zero characters', 'a\0b\0', 'a\ufffdb\ufffd'],
    ['a long text', 'x'.repeat(5000), 'x'.repeat(2000)],
  ])('is that of %s', (_, error, reason) => {
    expect(reasonOf(error)).toBe(reason)
  })
})

describe('LazyAbort', () => {
  it('gives one signal, whenever it is asked for', () => {
    const reason = new Error('late')
    const early = new LazyAbort()
    const { signal } = early
    expect(early.signal).toBe(signal)
    expect([early.aborted, signal.aborted]).toEqual([false, false])
    early.abort(reason)
    expect([early.aborted, signal.aborted, signal.reason]).toEqual([true, true, reason])

    const late = new LazyAbort()
    late.abort(reason)
    expect([late.aborted, late.signal.aborted, late.signal.reason]).toEqual([true, true, reason])
  })

  it('keeps the first reason', () => {
    const abort = new LazyAbort()
    abort.abort('first')
    abort.abort('second')
    expect(abort.signal.reason).toBe('first')
    abort.abort('third')
    expect(abort.signal.reason).toBe('first')
  })

  it('tells listeners once', () => {
    const abort = new LazyAbort()
    const heard = vi.fn()
    abort.signal.addEventListener('abort', heard)
    abort.abort('first')
    abort.abort('second')
    expect(heard).toHaveBeenCalledTimes(1)
  })
})
