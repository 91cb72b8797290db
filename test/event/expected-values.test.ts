import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { PayloadError } from '../../src/errors.js'
import { checkData, type StandardSchema } from '../../src/event/standard-schema.js'

async function detailOf(schema: StandardSchema, data: unknown): Promise<string | undefined> {
  try {
    await checkData('x', data, { x: schema }, [])
  } catch (error) {
    return (error as PayloadError).detail
  }
  throw new Error('the data fits')
}

/** A schema whose issues are these, whatever the data. */
const failing = (...issues: readonly object[]): StandardSchema => ({
  '~standard': {
    version: 1,
    vendor: 'x',
    validate: () => ({ issues: issues.map((issue) => ({ message: 'no', ...issue })) }),
  },
})

describe('expected values', () => {
  it('are named for the published payload', async () => {
    const data = { transferId: 'tr_1', status: 'reversed', rail: 'card', ledgerState: 'matched' }
    await expect((async () => checkData('transfer.settled', data, undefined, []))()).rejects.toMatchObject({
      detail: 'data.status (expected "settled")',
    })
  })

  it.each<[string, StandardSchema]>([
    [
      'zod',
      z.object({
        a: z.enum(['x', 'y']),
        b: z.literal(7),
        c: z.discriminatedUnion('t', [z.object({ t: z.literal('m') }), z.object({ t: z.literal('n') })]),
      }),
    ],
    [
      'valibot',
      v.object({
        a: v.picklist(['x', 'y']),
        b: v.literal(7),
        c: v.variant('t', [v.object({ t: v.literal('m') }), v.object({ t: v.literal('n') })]),
      }),
    ],
  ])('are those of an enum, a literal and a discriminator of %s', async (_, schema) => {
    expect(await detailOf(schema, { a: 'secret', b: 'secret', c: { t: 'secret' } })).toBe(
      'data.a (expected one of "x", "y"), data.b (expected 7), data.c.t (expected one of "m", "n")',
    )
  })

  it('have a limited length', async () => {
    const many = z.enum(Array.from({ length: 500 }, (_, i) => `value_${i}`) as [string])
    const long = z.literal('y'.repeat(5000))
    const detail = (await detailOf(z.object({ a: many, b: long }), { a: '', b: '' })) ?? ''
    expect(detail).toMatch(
      /^data\.a \(expected one of "value_0", "value_1", .* and 49\d more\), data\.b \(expected "y+…"\)$/,
    )
    expect(detail.length).toBeLessThan(300)
  })

  it('never include the received value, which a schema may have listed', async () => {
    for (const values of [['4111'], ['ok', '4111'], [4111]]) {
      const issue = { code: 'invalid_value', path: ['card', { key: 'number' }], values }
      for (const number of ['4111', 4111]) {
        expect(await detailOf(failing(issue), { card: { number } })).toBe('data.card.number')
      }
    }
  })

  it('never include another value of the data, which a schema may have listed', async () => {
    const schema = z
      .object({ account: z.string(), card: z.object({ account: z.string() }) })
      .superRefine(({ account }, context) => {
        const path = ['card', 'account']
        context.addIssue({ code: 'invalid_value', values: [account], input: undefined, path })
      })
    expect(await detailOf(schema, { account: 'DE89', card: { account: 'FR76' } })).toBe('data.card.account')
  })

  it.each([
    ['another code', { code: 'custom', values: ['a'] }],
    ['no list', { code: 'invalid_value', values: 'a' }],
    ['an empty list', { code: 'invalid_value', values: [] }],
    ['objects', { code: 'invalid_value', values: [{ a: 1 }] }],
    ['a text that is no list of literals', { kind: 'schema', type: 'literal', expected: 'like "a"' }],
    [
      'a text of a validation, which is not the whole value',
      { kind: 'validation', type: 'ends_with', expected: '"a"' },
    ],
    ['a broken literal', { kind: 'schema', type: 'literal', expected: '"a\\"' }],
  ])('are left out for %s', async (_, issue) => {
    expect(await detailOf(failing({ path: ['a'], ...issue }), { a: 'b' })).toBe('data.a')
  })

  it('are left out if reading them throws', async () => {
    const hostile = { code: 'invalid_value', path: ['a'] }
    Object.defineProperty(hostile, 'values', {
      enumerable: true,
      get() {
        throw new Error('no')
      },
    })
    const schema: StandardSchema = {
      '~standard': { version: 1, vendor: 'x', validate: () => ({ issues: [hostile as never] }) },
    }
    expect(await detailOf(schema, { a: 'b' })).toBe('data.a')
  })
})
