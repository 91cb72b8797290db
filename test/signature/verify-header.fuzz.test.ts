import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { runs } from '../fuzz-runs.js'
import { bodies, id, judge, now, schemes, secret, sign } from './signed-bodies.js'

// A long search, or a busy machine, needs more time.
vi.setConfig({ testTimeout: 600_000 })

describe('verifySignature', () => {
  it('throws only its own error, and accepts nothing, for any header', async () => {
    const tag = fc.constantFrom(
      't',
      'v1',
      'v0',
      'v2',
      'T',
      ' t',
      't ',
      '',
      'v1=v1',
      'constructor',
      '__proto__',
    )
    const value = fc.oneof(
      fc.constantFrom(
        '',
        `${now}`,
        `0${now}`,
        `${now}000`,
        '-1',
        '1e9',
        'NaN',
        'a'.repeat(64),
        '0'.repeat(64),
        '=',
        '==',
      ),
      fc.string({ unit: 'binary', maxLength: 70 }),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: 62, maxLength: 66 }),
      fc.base64String({ maxLength: 48 }),
    )
    const separator = fc.constantFrom(',', ',', ',', ', ', ';', ',,', '\t,', '\n', '')
    const assembled = fc
      .array(fc.tuple(tag, fc.constantFrom('=', '=', '=', '', '=='), value, separator), { maxLength: 20 })
      .map((elements) => elements.map((each) => each.join('')).join(''))
    const header = fc.oneof(
      { weight: 4, arbitrary: assembled },
      { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
      { weight: 1, arbitrary: fc.anything() },
      { weight: 1, arbitrary: fc.array(assembled, { maxLength: 3 }) },
    )
    await fc.assert(
      fc.asyncProperty(schemes, bodies, header, async (scheme, body, value) => {
        expect(await judge({ body, header: value, scheme, id })).toMatch(
          /^(missing_signature|malformed_signature|signature_mismatch)$/,
        )
      }),
      { numRuns: runs(20_000) },
    )
  })

  it('accepts a mutated header only if it means the same', async () => {
    const position = fc.nat()
    const edit = fc.constantFrom<(text: string, at: number, by: string) => string>(
      (text, at, by) => text.slice(0, at) + by + text.slice(at),
      (text, at) => text.slice(0, at) + text.slice(at + 1),
      (text, at, by) => text.slice(0, at) + by + text.slice(at + 1),
      (text, at) => text.slice(0, at),
      (text, at) => text.slice(at),
      (text) => text.toUpperCase(),
      (text, at) => text.slice(0, at) + text.slice(at).toUpperCase(),
      (text) => `${text},${text}`,
      (text) => text.split(',').reverse().join(','),
    )
    const character = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom(...',=t1v0 \taF\u0661\uff11'),
    )
    await fc.assert(
      fc.asyncProperty(schemes, bodies, position, edit, character, async (scheme, body, n, mutate, by) => {
        const delivery = await sign(scheme, body, now)
        const header = mutate(delivery.header as string, n % ((delivery.header as string).length + 1), by)
        const verdict = await judge({ ...delivery, header })
        if (typeof verdict === 'string') {
          return
        }
        // Parsed independently: the literal t, and one v1 that decodes to the right 32 bytes.
        const elements = header.split(',').map((each) => each.replace(/^[ \t]+|[ \t]+$/g, ''))
        const t = elements.filter((each) => each.startsWith('t=')).map((each) => each.slice(2))
        const v1 = elements.filter((each) => each.startsWith('v1=')).map((each) => each.slice(3))
        const head = { 'timestamp.body': `${t[0]}.`, 'id.timestamp.body': `${id}.${t[0]}.`, body: '' }[
          scheme.content as 'body'
        ]
        const right = createHmac('sha256', secret).update(head).update(body).digest()
        expect(t).toHaveLength(1)
        expect(verdict.timestamp).toBe(Number(t[0]))
        expect(v1.some((text) => right.equals(Buffer.from(text, scheme.encoding as 'hex')))).toBe(true)
      }),
      { numRuns: runs(20_000) },
    )
  })

  it('parses the longest header quickly', async () => {
    const fill = (unit: string) => unit.repeat(Math.floor(4000 / unit.length))
    const headers = [',', '=', ' ', 't', 't=', 'x=,', ' , ', '\t', 'v1=', 'v1=a'].map(
      (unit) => `t=${now},v1=aa,x=${fill(unit)}`,
    )
    const startedAt = performance.now()
    for (let i = 0; i < 20; i++) {
      for (const header of headers) {
        expect(await judge({ body: new Uint8Array(), header, scheme: {}, id })).toBeTypeOf('string')
      }
    }
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })
})
