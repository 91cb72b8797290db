import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../src/errors.js'
import { type SignInput, signPayload } from '../../src/signature/sign.js'

const body = '{"id":"evt_123","type":"transfer.settled"}'
const secret = 'whsec_test_secret'
const timestamp = 1_700_000_000

describe('signPayload', () => {
  it('computes the published vector from text and from bytes', async () => {
    const expected = 't=1700000000,v1=a2a06a28d8d674d752c96b698c8d44de83cfa2353cea7f336f62d729b94d3191'
    expect(await signPayload({ body, secret, timestamp })).toBe(expected)
    expect(await signPayload({ body: Buffer.from(body), secret, timestamp })).toBe(expected)
  })

  it('makes one signature for each secret, in order', async () => {
    const [a, b] = await Promise.all(['a', 'b'].map((each) => signPayload({ body, secret: each, timestamp })))
    const both = await signPayload({ body, secret: ['a', 'b'], timestamp })
    expect(both).toBe(`${a},${b?.split(',')[1]}`)
  })

  it('uses the whole seconds of the system clock by default', async () => {
    const before = Math.floor(Date.now() / 1000)
    const t = Number(/^t=(\d+),/.exec(await signPayload({ body, secret }))?.[1])
    expect(t).toBeGreaterThanOrEqual(before)
    expect(t).toBeLessThanOrEqual(Math.floor(Date.now() / 1000))
  })

  it.each([0, 1, 999_999_999_999])('accepts t=%d', async (t) => {
    expect(await signPayload({ body, secret, timestamp: t })).toMatch(new RegExp(`^t=${t},v1=[0-9a-f]{64}$`))
  })

  it.each<[string, object, string, why?: string]>([
    ['a fraction of a second', { timestamp: 1.5 }, 'invalid_option', 'timestamp must be whole unix seconds'],
    ['a time before 1970', { timestamp: -1 }, 'invalid_option'],
    ['thirteen digits, as milliseconds have', { timestamp: 1_700_000_000_000 }, 'invalid_option'],
    ['NaN', { timestamp: Number.NaN }, 'invalid_option'],
    ['a typo', { timestmap: 1 }, 'unknown_option', 'did you mean timestamp?'],
    ['a time in a string', { timestamp: '1700000000' }, 'invalid_option'],
    ['a parsed body', { body: {} }, 'body_not_bytes'],
    ['a lone surrogate at the end', { body: 'a\udc00' }, 'body_not_bytes'],
    ['no secret', { secret: undefined }, 'invalid_secret'],
    ['no secrets', { secret: [] }, 'invalid_secret'],
    ['an unknown scheme', { scheme: { content: 'all' } }, 'invalid_option'],
    [
      'an id that is needed and missing',
      { scheme: { content: 'id.timestamp.body' } },
      'invalid_option',
      'pass an id without dots',
    ],
  ])('rejects %s', async (_, input, code, why) => {
    const failure = signPayload({ body, secret, timestamp, ...input } as SignInput)
    await expect(failure).rejects.toBeInstanceOf(ConfigurationError)
    await expect(failure).rejects.toMatchObject({ code })
    if (why) {
      await expect(failure).rejects.toThrow(why)
    }
  })

  it('names an unknown option first, also if there is no other', async () => {
    await expect(signPayload({ foo: 1 } as never)).rejects.toMatchObject({ code: 'unknown_option' })
  })
})
