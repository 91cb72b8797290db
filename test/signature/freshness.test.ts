import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { signPayload } from '../../src/signature/sign.js'
import { verifySignature } from '../../src/signature/verify-signature.js'
import { memoryStore } from '../../src/stores/memory.js'
import { accepted, body, header, now, outcome, secret } from './vector.js'

describe('freshness', () => {
  it.each([
    [-301, 'timestamp_out_of_tolerance'],
    [-300, accepted],
    [-1, accepted],
    [0, accepted],
    [1, accepted],
    [300, accepted],
    [301, 'timestamp_out_of_tolerance'],
    [300.5, 'timestamp_out_of_tolerance'],
    [1e9, 'timestamp_out_of_tolerance'],
  ])('a clock %d s after t', async (lead, expected) => {
    expect(await outcome({ now: now + lead })).toEqual(expected)
    expect(await outcome({ now: () => now + lead })).toEqual(expected)
  })

  it('follows toleranceSeconds, before and after', async () => {
    for (const lead of [-5, 5]) {
      expect(await outcome({ now: now + lead, toleranceSeconds: 5 })).toEqual(accepted)
      expect(await outcome({ now: now + lead, toleranceSeconds: 4 })).toBe('timestamp_out_of_tolerance')
    }
  })

  it.each([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'a clock that returns %d accepts nothing',
    async (time) => {
      expect(await outcome({ now: time })).toBe('timestamp_out_of_tolerance')
    },
  )

  it.each([
    ['NaN', () => Number.NaN],
    ['a string', () => '1700000000'],
    ['a bigint', () => 1n],
    ['a symbol', () => Symbol('now')],
    ['a promise that rejects', () => Promise.reject(new Error('late'))],
  ])('a clock that returns %s is a mistake of the program', async (_, clock) => {
    expect(await outcome({ now: clock as () => number })).toBe('invalid_option')
  })

  it('a clock that throws is a mistake of the program', async () => {
    const now = () => {
      throw new Error('no clock')
    }
    const verified = verifySignature({ body, header, secret, now })
    await expect(verified).rejects.toThrow('invalid_option: now must be unix seconds, or return them')
  })

  it('a receiver names its clock as the cause of a failure', async () => {
    const broken = new Error('no clock')
    const clocks: [() => number, unknown][] = [
      [
        () => {
          throw broken
        },
        broken,
      ],
      [() => 'noon' as never, new TypeError('now() returned no number')],
    ]
    for (const [now, cause] of clocks) {
      const store = memoryStore()
      const receiver = createReceiver({ secret, now, store, logger: false, fallback: () => {} })
      const headers = { 'content-type': 'application/json', 'service-signature': header }
      const result = await receiver.receive({ headers, body })
      expect(result).toMatchObject({ code: 'handler_failed', detail: 'in now()' })
      expect((result as { cause?: unknown }).cause).toEqual(cause)
    }
  })

  it('may exceed a day only with allowLongTolerance', async () => {
    expect(await outcome({ toleranceSeconds: 86_400 })).toEqual(accepted)
    expect(await outcome({ toleranceSeconds: 300_000 })).toBe('invalid_option')
    expect(await outcome({ toleranceSeconds: 300_000, allowLongTolerance: true })).toEqual(accepted)
    const endless = { toleranceSeconds: Number.POSITIVE_INFINITY, allowLongTolerance: true }
    expect(await outcome(endless)).toBe('invalid_option')
    await expect(verifySignature({ body, header, secret, toleranceSeconds: 300_000 })).rejects.toThrow(
      'toleranceSeconds is 300000 seconds, more than a day; it is in seconds, not milliseconds; if you mean it, set allowLongTolerance: true',
    )
  })

  it('is checked after the signature, so that a forger learns nothing about the clock', async () => {
    expect(await outcome({ now: now + 1e6, header: `t=${now},v1=${'0'.repeat(64)}` })).toBe(
      'signature_mismatch',
    )
  })

  it('does not read the clock for a forgery', async () => {
    let asked = 0
    const clock = () => {
      asked++
      return now
    }
    await outcome({ now: clock, header: `t=${now},v1=${'0'.repeat(64)}` })
    expect(asked).toBe(0)
    await outcome({ now: clock })
    expect(asked).toBe(1)
  })

  it('uses the system clock by default', async () => {
    const fresh = await signPayload({ body, secret })
    expect(await verifySignature({ body, header: fresh, secret })).toMatchObject({ secretIndex: 0 })
    await expect(verifySignature({ body, header, secret })).rejects.toMatchObject({
      code: 'timestamp_out_of_tolerance',
    })
  })

  it('reports to the operator how far off t is, and in which direction', async () => {
    const verify = (at: number) => verifySignature({ body, header, secret, now: at })
    await expect(verify(now + 400)).rejects.toThrow('t is 400 s behind')
    await expect(verify(now - 400)).rejects.toThrow('t is 400 s ahead')
    await expect(verify(now - 400.25)).rejects.toThrow('t is 401 s ahead')
  })

  it('says that a clock returns milliseconds', async () => {
    const verify = verifySignature({ body, header, secret, now: Date.now })
    await expect(verify).rejects.toThrow('now() returned milliseconds, and must return seconds')
  })

  it('signs leading zeros unchanged', async () => {
    const literal = createHmac('sha256', secret).update(`0017.`).update(body).digest('hex')
    expect(await outcome({ header: `t=0017,v1=${literal}`, now: 17 })).toEqual({
      timestamp: 17,
      secretIndex: 0,
    })
    expect(await outcome({ header: `t=17,v1=${literal}`, now: 17 })).toBe('signature_mismatch')
  })

  it.each(['0', '0000000000'])('counts from the first second of 1970: t=%s', async (t) => {
    const first = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
    expect(await outcome({ header: `t=${t},v1=${first}`, now: 0 })).toEqual({ timestamp: 0, secretIndex: 0 })
  })
})
