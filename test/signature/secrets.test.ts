import { describe, expect, it, vi } from 'vitest'
import { ConfigurationError } from '../../src/errors.js'
import { hmac } from '../../src/signature/crypto/node.js'
import { resolveScheme } from '../../src/signature/scheme.js'
import { decodeSecret, keyring, keySource } from '../../src/signature/secrets.js'

const plain = resolveScheme()
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('decodeSecret', () => {
  it.each([
    ['as given', 'whsec_abc', 'whsec_abc'],
    ['with white space inside', 'pass phrase', 'pass phrase'],
    ['beyond ASCII', 'gehé\u{1f511}im', 'gehé\u{1f511}im'],
  ])('takes UTF-8 %s', (_, secret, expected) => {
    expect(text(decodeSecret(secret, plain))).toBe(expected)
  })

  it('decodes base64, base64 without padding, and hex of either case', () => {
    expect(text(decodeSecret('c2VjcmV0IQ==', resolveScheme({ key: 'base64' })))).toBe('secret!')
    expect(text(decodeSecret('c2VjcmV0IQ', resolveScheme({ key: 'base64' })))).toBe('secret!')
    expect([...decodeSecret('00fFA0', resolveScheme({ key: 'hex' }))]).toEqual([0, 255, 160])
  })

  it.each<[string, unknown, object, string]>([
    [
      'undefined, as of an unset variable',
      undefined,
      {},
      'it is undefined, not a string; set the variable that holds it',
    ],
    ['null', null, {}, 'it is null, not a string'],
    ['a number', 7, {}, 'it is a number, not a string'],
    ['bytes', new Uint8Array(3), {}, 'it is an object, not a string'],
    ['empty', '', {}, 'it is empty'],
    ['only white space', '  ', {}, 'white space'],
    ['a leading space', ' a', {}, 'white space'],
    ['a trailing space', 'a ', {}, 'white space'],
    ['a trailing line feed', 'a\n', {}, 'white space'],
    ['a byte order mark, as of a file from Windows', '\ufeffa', {}, 'white space'],
    ['a lone surrogate, which has no UTF-8', 'a\ud800', {}, 'lone surrogate'],
    ['no base64', 'a*b', { key: 'base64' }, 'it is not base64'],
    ['base64url where base64 is meant', 'ab-_', { key: 'base64' }, 'it is not base64'],
    ['no hex', 'xyz1', { key: 'hex' }, 'it is not hex'],
    ['an odd number of hex digits', 'abc', { key: 'hex' }, 'it is not hex'],
    ['nothing but the prefix', 'whsec_', { keyPrefix: 'whsec_' }, 'nothing is left of it'],
  ])('rejects %s', (_, secret, scheme, why) => {
    const attempt = () => decodeSecret(secret, resolveScheme(scheme))
    expect(attempt).toThrow(ConfigurationError)
    expect(attempt).toThrow(/^invalid_secret: /)
    expect(attempt).toThrow(why)
  })

  it('does not quote a rejected secret', () => {
    for (const secret of ['hunter22 ', 'hunter22*']) {
      try {
        decodeSecret(secret, resolveScheme({ key: 'base64' }))
        expect.unreachable()
      } catch (error) {
        expect(`${(error as Error).message}${(error as Error).stack}`).not.toContain('hunter22')
      }
    }
  })
})

describe('keyring', () => {
  it('prepares each key once', () => {
    const keysOf = keyring(plain)
    const [a, b] = keysOf(['a', 'b'])
    expect(keysOf('a')[0]).toBe(a)
    expect(keysOf(['b', 'a'])).toEqual([b, a])
    expect(keysOf(['b', 'a'])[0]).toBe(b)
  })

  it('drops the oldest key beyond 256, so that its memory stays bounded', () => {
    const keysOf = keyring(plain)
    const [first] = keysOf('secret 0')
    for (let i = 1; i < 256; i++) {
      keysOf(`secret ${i}`)
    }
    expect(keysOf('secret 0')[0]).toBe(first)
    const [last] = keysOf('secret 255')
    keysOf('secret 256')
    expect(keysOf('secret 0')[0]).not.toBe(first)
    expect(keysOf('secret 255')[0]).toBe(last)
  })

  it('rejects an empty list', () => {
    expect(() => keyring(plain)([])).toThrow(/^invalid_secret: .*the list is empty/)
  })

  it('accepts a secret that is the name of a property of every object', () => {
    const digests = ['__proto__', 'constructor'].map((name) => {
      const [key] = keyring(plain)(name)
      return hmac(key as never, '', new Uint8Array())
    })
    expect(new Set(digests).size).toBe(2)
  })
})

describe('keySource', () => {
  it('prepares a fixed secret immediately, and throws immediately', () => {
    const source = keySource('a'.repeat(16), plain)
    expect(source({})).toBe(source({}))
    expect(source({})).toHaveLength(1)
    expect(() => keySource('', plain)).toThrow(ConfigurationError)
  })

  it.each([
    ['15 bytes', 'a'.repeat(15), {}, 'it has fewer than 16 bytes'],
    ['15 bytes once decoded', 'QUFBQUFBQUFBQUFBQUFB', { key: 'base64' }, 'it has fewer than 16 bytes'],
    ['undefined as text', 'undefined', {}, "it is the text 'undefined'"],
    ['null as text', 'null', {}, "it is the text 'null'"],
    ['NaN as text', 'NaN', {}, "it is the text 'NaN'"],
    ['an object as text', '[object Object]', {}, "it is the text '[object Object]'"],
  ] as const)('rejects a secret of %s', async (_, secret, scheme, why) => {
    const resolved = resolveScheme(scheme)
    expect(() => keySource(secret, resolved)).toThrow(why)
    expect(() => keySource(['a'.repeat(24), secret], resolved)).toThrow(why)
    await expect(keySource(() => secret, resolved)({})).rejects.toThrow(why)
  })

  it('rejects a list with a hole, even beside a secret', () => {
    expect(() => keySource(new Array(1), plain)).toThrow('it is undefined, not a string')
    const sparse = Object.assign(new Array(2), { 1: 'a'.repeat(16) })
    expect(() => keySource(sparse, plain)).toThrow('it is undefined, not a string')
    expect(() => keyring(plain)(sparse)).toThrow('it is undefined, not a string')
  })

  it('accepts 16 secrets, and no more', () => {
    const secrets = Array.from({ length: 17 }, (_, i) => `whsec_test_${10 + i}_secret`)
    expect(keySource(secrets.slice(1), plain)({})).toHaveLength(16)
    expect(() => keySource(secrets, plain)).toThrow('the list has more than 16')
  })

  it('catches the rejections of a list of promises, where Promise.all was forgotten', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const list = () => [Promise.reject(new Error('vault')), Promise.reject(new Error('vault'))] as never
    expect(() => keySource(list(), plain)).toThrow('it is an object, not a string')
    await expect(keySource(list, plain)({})).rejects.toThrow('it is an object, not a string')
    // Node reports a rejection when it has run all microtasks.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('accepts 16 bytes, even in fewer characters', () => {
    expect(() => keySource('a'.repeat(16), plain)).not.toThrow()
    expect(() => keySource('é'.repeat(8), plain)).not.toThrow()
  })

  it('calls a resolver for each request, with the request', async () => {
    const asked: string[] = []
    const source = keySource((request: string) => {
      asked.push(request)
      return [request.repeat(16), 'shared'.repeat(4)]
    }, plain)
    const first = await source('a')
    const second = await source('b')
    expect(asked).toEqual(['a', 'b'])
    expect(first).toHaveLength(2)
    expect(first[1]).toBe(second[1])
    expect(first[0]).not.toBe(second[0])
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('vault')
      },
    ],
    ['rejects', () => Promise.reject(new Error('vault'))],
    ['returns nothing', () => undefined],
    ['returns an empty list', () => []],
    ['returns a list with a hole', () => ['a'.repeat(16), undefined]],
    ['returns a sparse list', () => new Array(1)],
    ['returns too many', () => Array.from({ length: 17 }, (_, i) => `whsec_test_${10 + i}_secret`)],
  ])('rejects, and does not throw, when the resolver %s', async (_, resolver) => {
    const keys = keySource(resolver as () => string, plain)({})
    await expect(keys).rejects.toThrow()
  })
})
