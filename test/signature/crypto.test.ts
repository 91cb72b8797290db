import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { fromBase64, fromBase64url, toBase64, toBase64url } from '../../src/signature/crypto/base64.js'
import { fromHex, toHex } from '../../src/signature/crypto/hex.js'
import * as node from '../../src/signature/crypto/node.js'
import * as web from '../../src/signature/crypto/web.js'
import { runs } from '../fuzz-runs.js'

// A long search, or a busy machine, needs more time.
vi.setConfig({ testTimeout: 600_000 })

const bytes = (max = 300) => fc.uint8Array({ maxLength: max })
const secret = fc.uint8Array({ minLength: 1, maxLength: 200 })
const head = fc.string({ unit: fc.constantFrom(...'0123456789.evt_'), maxLength: 40 })

describe('the two builds of the cryptography', () => {
  it('compute the same HMAC', async () => {
    await fc.assert(
      fc.asyncProperty(secret, head, bytes(), async (key, prefix, body) => {
        const fromNode = await node.hmac(node.importKey(key), prefix, body)
        const fromWeb = await web.hmac(web.importKey(key), prefix, body)
        expect(fromWeb).toBe(fromNode)
        expect(fromNode).toMatch(/^[0-9a-f]{64}$/)
      }),
      { numRuns: runs(500) },
    )
  })

  it('compute the same SHA-256 of bytes and of text', async () => {
    const content = fc.oneof(bytes(), fc.string({ unit: 'binary' }))
    await fc.assert(
      fc.asyncProperty(content, async (input) => {
        expect(await web.sha256(input)).toBe(await node.sha256(input))
        expect(await node.sha256(input)).toMatch(/^[0-9a-f]{64}$/)
      }),
      { numRuns: runs(500) },
    )
  })

  it('compare in the same way and never throw', () => {
    const digest = fc.uint8Array({ minLength: 32, maxLength: 32 })
    const pair = fc.oneof(
      fc.tuple(bytes(40).map(toHex), bytes(40).map(toHex)),
      digest.map((a) => [toHex(a), toHex(a)] as const),
      fc.tuple(digest, fc.nat(255)).map(([a, bit]) => {
        const b = Uint8Array.from(a)
        b[bit >> 3] = (b[bit >> 3] as number) ^ (1 << (bit & 7))
        return [toHex(a), toHex(b)] as const
      }),
    )
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const expected = a === b && a.length === 64
        expect(node.equal(a, b)).toBe(expected)
        expect(web.equal(a, b)).toBe(expected)
      }),
      { numRuns: runs(2000) },
    )
  })

  it('find only digests of 64 digits equal', () => {
    const digest = 'a'.repeat(64)
    const others = ['', 'a'.repeat(62), 'a'.repeat(66)]
    for (const { equal } of [node, web]) {
      expect(equal(digest, 'a'.repeat(64))).toBe(true)
      for (const other of others) {
        expect(equal(other, other)).toBe(false)
        expect(equal(digest, other)).toBe(false)
        expect(equal(other, digest)).toBe(false)
      }
    }
  })

  it('remember nothing of an earlier comparison', () => {
    const digest = 'a'.repeat(64)
    const wide = `${'a'.repeat(63)}é`
    for (const { equal } of [node, web]) {
      expect(equal(digest, digest)).toBe(true)
      expect(equal(wide, digest)).toBe(false)
      expect(equal(digest, wide)).toBe(false)
    }
  })

  it('give out no key that WebCrypto could export', async () => {
    const key = await web.importKey(new Uint8Array(16))
    expect(key).toMatchObject({ type: 'secret', extractable: false })
  })

  it('do not reduce a character to its low byte', () => {
    const digest = 'a'.repeat(64)
    for (const wide of ['\u0161', '\u0261', '\uff61', '\u{1f461}']) {
      const text = wide.padEnd(64, 'a')
      expect(text).toHaveLength(64)
      for (const { equal } of [node, web]) {
        expect(equal(text, digest), wide).toBe(false)
      }
    }
  })

  it('hash only the bytes of a view into a larger buffer', async () => {
    const buffer = Buffer.from('xxsecretxx')
    const view = buffer.subarray(2, 8)
    const plain = Uint8Array.from(Buffer.from('secret'))
    const digests = await Promise.all([
      node.hmac(node.importKey(view), '1.', view),
      node.hmac(node.importKey(plain), '1.', plain),
      web.hmac(web.importKey(view), '1.', view),
    ])
    expect(new Set(digests).size).toBe(1)
    expect(await web.sha256(view)).toBe(await node.sha256('secret'))
  })
})

const vector = {
  secret: 'whsec_test_secret',
  body: '{"id":"evt_123","type":"transfer.settled"}',
  digest: 'a2a06a28d8d674d752c96b698c8d44de83cfa2353cea7f336f62d729b94d3191',
}

describe('the published vector', () => {
  const key = new TextEncoder().encode(vector.secret)
  const body = new TextEncoder().encode(vector.body)

  it.each([
    ['node', async () => node.hmac(node.importKey(key), '1700000000.', body)],
    ['web', async () => web.hmac(web.importKey(key), '1700000000.', body)],
  ])('comes out of the %s build', async (_, sign) => {
    expect(await sign()).toBe(vector.digest)
  })

  it('equals the output of openssl', () => {
    const output = execFileSync('openssl', ['dgst', '-sha256', '-hmac', vector.secret], {
      input: `1700000000.${vector.body}`,
      encoding: 'utf8',
    })
    expect(output.trim().split(' ').at(-1)).toBe(vector.digest)
  })
})

describe('hex', () => {
  it('encodes and decodes as Buffer does', () => {
    fc.assert(
      fc.property(bytes(), (input) => {
        const text = Buffer.from(input).toString('hex')
        expect(toHex(input)).toBe(text)
        expect(fromHex(text)).toEqual(input)
        expect(fromHex(text.toUpperCase())).toEqual(input)
      }),
      { numRuns: runs(1000) },
    )
  })

  it.each([
    'a',
    '0g',
    'g0',
    '0:',
    '0/',
    '0@',
    '0`',
    'é0',
    '0\u0000',
    ' 00',
    '00 ',
    '0x',
    '\u013000',
    '0\u0141',
  ])('rejects %j', (text) => {
    expect(fromHex(text)).toBeUndefined()
  })
})

describe('base64', () => {
  it('encodes and decodes as Buffer does, with and without padding', () => {
    fc.assert(
      fc.property(bytes(), (input) => {
        const text = Buffer.from(input).toString('base64')
        const urlText = Buffer.from(input).toString('base64url')
        expect(toBase64(input)).toBe(text)
        expect(toBase64url(input)).toBe(urlText)
        for (const form of [text, text.replaceAll('=', '')]) {
          expect(fromBase64(form)).toEqual(input)
        }
        const paddedUrl = text.replaceAll('+', '-').replaceAll('/', '_')
        for (const form of [urlText, paddedUrl]) {
          expect(fromBase64url(form)).toEqual(input)
        }
      }),
      { numRuns: runs(1000) },
    )
  })

  it.each([
    'a',
    'aaaaa',
    '=',
    '====',
    'aa=',
    'aaa==',
    'aaaa=',
    'aaaa====',
    'aa=a',
    '=aaa',
    'a a=',
    'aa\n=',
    'aé==',
    'aa--',
    'YW E=',
    'YWE=\n',
    '\tYWE',
  ])('rejects %j', (text) => {
    expect(fromBase64(text)).toBeUndefined()
  })

  it.each(['a', 'aa++', 'aa//', 'aa=', 'aa\n='])('base64url rejects %j', (text) => {
    expect(fromBase64url(text)).toBeUndefined()
  })
})
