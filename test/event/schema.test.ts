import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { PayloadError } from '../../src/errors.js'
import { checkData, type Schemas, type StandardSchema } from '../../src/event/standard-schema.js'

const settled = { transferId: 'tr_1', status: 'settled', rail: 'mobile_money', ledgerState: 'matched' }

async function check(type: string, data: unknown, schemas?: Schemas) {
  const warnings: string[] = []
  try {
    return { data: await checkData(type, data, schemas, warnings), warnings }
  } catch (error) {
    if (!(error instanceof PayloadError)) {
      throw error
    }
    expect(error.code).toBe('invalid_data')
    return error.detail
  }
}

describe('transfer.settled, which has a published payload', () => {
  it('accepts the published payload with extra fields', async () => {
    const data = { ...settled, amount: '1.00', nested: { any: 1 } }
    expect(await check('transfer.settled', data)).toEqual({ data, warnings: [] })
  })

  it.each([
    ['transferId', undefined],
    ['status', undefined],
    ['rail', undefined],
    ['ledgerState', undefined],
    ['transferId', ''],
    ['transferId', 1],
    ['status', 'failed'],
    ['rail', null],
    ['ledgerState', 'pending'],
  ])('and rejects %s of %j', async (name, value) => {
    expect(pathsIn(await check('transfer.settled', { ...settled, [name]: value }))).toBe(`data.${name}`)
  })

  it('names every invalid part', async () => {
    expect(pathsIn(await check('transfer.settled', {}))).toBe(
      'data.transferId, data.status, data.rail, data.ledgerState',
    )
  })

  it('says which parts are missing, because that is another cause than a wrong value', async () => {
    const { transferId: _, ...rest } = settled
    expect(await check('transfer.settled', { ...rest, status: 'failed' })).toBe(
      'data.transferId (missing; expected string), data.status (expected "settled")',
    )
    const nested = v.object({ items: v.array(v.object({ sku: v.pipe(v.string(), v.uuid()) })) })
    expect(await check('x', { items: [{ sku: 1 }, {}, 'text'] }, { x: nested })).toBe(
      'data.items.0.sku (expected string), data.items.1.sku (missing), data.items.2 (expected object)',
    )
    expect(await check('x', {}, { x: v.object({ items: v.custom(Array.isArray) }) })).toBe(
      'data.items (missing)',
    )
    const behind = returning({ issues: [{ message: '', path: ['rail', 'code'] }] })
    expect(await check('x', {}, { x: behind })).toBe('data.rail.code')
  })

  it('names the type that is expected', async () => {
    expect(await check('transfer.settled', { ...settled, transferId: 1, rail: null })).toBe(
      'data.transferId (expected string), data.rail (expected string)',
    )
  })
})

/** The issues without the types that are expected. */
const pathsIn = (text: unknown) => String(text).replaceAll(/ \((?:missing|expected)[^)]*\)/g, '')

describe('unpublished payloads, which only give warnings', () => {
  it.each([
    ['transfer.failed', { transferId: 'tr_1' }],
    [
      'transfer.failed',
      {
        transferId: 'tr_1',
        status: 'a',
        rail: 'b',
        ledgerState: 'c',
        failureCode: 'd',
        failureReason: 'e',
        more: 1,
      },
    ],
    ['ledger.matched', { transferId: 'tr_1', ledgerState: 'a', journalEntryId: 'b' }],
    ['approval.updated', { approvalId: 'apr_1', transferId: 'a', status: 'b' }],
  ])('%s as expected, without', async (type, data) => {
    expect(await check(type, data)).toEqual({ data, warnings: [] })
  })

  it.each<[string, object, string]>([
    ['transfer.failed', {}, 'data.transferId'],
    [
      'transfer.failed',
      { transferId: 'a', status: 1, rail: 1, ledgerState: 1, failureCode: 1, failureReason: 1 },
      'data.status, data.rail, data.ledgerState, data.failureCode, data.failureReason',
    ],
    [
      'ledger.matched',
      { transferId: '', ledgerState: 1, journalEntryId: 1 },
      'data.transferId, data.ledgerState, data.journalEntryId',
    ],
    [
      'approval.updated',
      { approvalId: 1, transferId: 1, status: 1 },
      'data.approvalId, data.transferId, data.status',
    ],
  ])('%s otherwise', async (type, data, paths) => {
    const { warnings } = (await check(type, data)) as { warnings: string[] }
    expect(warnings.map(pathsIn)).toEqual([`data is not as expected: ${paths}`])
  })
})

describe('unknown types', () => {
  it.each(['evidence.exported', 'constructor', '__proto__', 'toString'])('%s is accepted', async (type) => {
    expect(await check(type, { a: 1 })).toEqual({ data: { a: 1 }, warnings: [] })
    expect(await check(type, { a: 1 }, { other: z.never() })).toEqual({ data: { a: 1 }, warnings: [] })
  })
})

const zodSchema = z.object({ amount: z.string(), items: z.array(z.object({ sku: z.string() })) })
const valibotSchema = v.object({ amount: v.string(), items: v.array(v.object({ sku: v.string() })) })

describe.each<[string, StandardSchema]>([
  ['zod', zodSchema],
  ['valibot', valibotSchema],
])('a schema of %s', (_, schema) => {
  it('accepts data that fits', async () => {
    const data = { amount: '1', items: [{ sku: 'a' }] }
    expect(await check('order.paid', data, { 'order.paid': schema })).toEqual({ data, warnings: [] })
  })

  it('rejects other data, and names paths but no values', async () => {
    const data = { amount: 4111, items: [{ sku: 'a' }, { sku: 4111 }] }
    expect(await check('order.paid', data, { 'order.paid': schema })).toBe(
      'data.amount (expected string), data.items.1.sku (expected string)',
    )
    expect(await check('order.paid', 'text', { 'order.paid': schema })).toBe('data (expected object)')
  })

  it('names at most twenty paths', async () => {
    const items = (count: number) => ({
      amount: '1',
      items: Array.from({ length: count }, () => ({ sku: 1 })),
    })
    const paths = Array.from({ length: 20 }, (_, i) => `data.items.${i}.sku (expected string)`).join(', ')
    expect(await check('order.paid', items(20), { 'order.paid': schema })).toBe(paths)
    expect(await check('order.paid', items(5000), { 'order.paid': schema })).toBe(`${paths} and 4980 more`)
  })

  it('replaces the schema of the catalog', async () => {
    const data = { amount: '1', items: [] }
    expect(await check('transfer.settled', data, { 'transfer.settled': schema })).toEqual({
      data,
      warnings: [],
    })
    expect(pathsIn(await check('transfer.settled', settled, { 'transfer.settled': schema }))).toBe(
      'data.amount, data.items',
    )
  })
})

describe('schemas of the user', () => {
  it.each([
    ['a string', ' (expected string)'],
    ['Object', ' (expected object)'],
    ['4111 1111 1111 1111', ''],
    ['equal to "Ada"', ''],
    ['', ''],
    [['string'], ''],
  ])('may say that they expect %j, of which only the name of a type is kept', async (expected, named) => {
    const issues = [{ message: 'not 4111', path: ['amount'], expected }]
    const schema = { '~standard': { version: 1, vendor: 'x', validate: () => ({ issues }) } } as const
    expect(await check('x', { amount: 4111 }, { x: schema })).toBe(`data.amount${named}`)
  })

  it('may say it with a promise that rejects, and no rejection is left over', async () => {
    const validate = () => ({ issues: [{ message: 'x', expected: Promise.reject(new Error('late')) }] })
    const schema = { '~standard': { version: 1, vendor: 'x', validate } } as const
    expect(await check('x', {}, { x: schema })).toBe('data')
  })

  it('may transform the data', async () => {
    const minor = z.object({ amount: z.string().transform((text) => Math.round(Number(text) * 100)) })
    expect(await check('x', { amount: '12.34', extra: 1 }, { x: minor })).toEqual({
      data: { amount: 1234 },
      warnings: [],
    })
  })

  it('may be asynchronous', async () => {
    const exists = z.object({ id: z.string() }).refine(async ({ id }) => id === 'known', { path: ['id'] })
    expect(await check('x', { id: 'known' }, { x: exists })).toEqual({ data: { id: 'known' }, warnings: [] })
    expect(await check('x', { id: 'other' }, { x: exists })).toBe('data.id')
    const inValibot = v.objectAsync({
      id: v.pipeAsync(
        v.string(),
        v.checkAsync(async (id) => id === 'known'),
      ),
    })
    expect(await check('x', { id: 'other' }, { x: inValibot })).toBe('data.id')
  })

  it('may throw, which does not reject the payload', async () => {
    const broken = z.object({}).transform(() => {
      throw new TypeError('broken schema')
    })
    await expect(checkData('x', {}, { x: broken }, [])).rejects.toThrow('broken schema')
    const rejecting = v.pipeAsync(
      v.object({}),
      v.checkAsync(() => Promise.reject(new TypeError('no database'))),
    )
    await expect(checkData('x', {}, { x: rejecting }, [])).rejects.toThrow('no database')
  })

  it('are found as own properties only', async () => {
    const schemas = Object.create({ x: z.never() }) as Schemas
    expect(await check('x', {}, schemas)).toEqual({ data: {}, warnings: [] })
    expect(await check('constructor', {}, { constructor: z.never() } as unknown as Schemas)).toBe('data')
  })

  it('may report a path in every form of the specification', async () => {
    const schema: StandardSchema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: () => ({
          issues: [
            { message: 'secret 4111' },
            { message: 'secret 4111', path: [] },
            { message: 'secret 4111', path: ['a', 0, { key: 'b' }] },
            { message: 'secret 4111', path: [{ key: Symbol('s') }] },
          ],
        }),
      },
    }
    expect(await check('x', {}, { x: schema })).toBe('data, data, data.a.0.b, data.Symbol(s) (missing)')
  })

  it('name at most 100 characters of a key', async () => {
    const schema = returning({ issues: [{ message: '', path: ['k'.repeat(101)] }] })
    expect(await check('x', {}, { x: schema })).toBe(`data.${'k'.repeat(100)} (missing)`)
  })

  it.each([
    [undefined, 'the schema returned no result'],
    [null, 'the schema returned no result'],
    ['text', 'the schema returned no result'],
    [{}, 'the schema returned neither a value nor issues'],
    [{ issues: null }, 'the schema returned neither a value nor issues'],
    [{ issues: 'text' }, 'the schema returned issues that are no list'],
  ])('may return %j, which is an error of the schema', async (result, message) => {
    const checked = checkData('x', {}, { x: returning(result) }, [])
    await expect(checked).rejects.toThrow(new TypeError(message))
  })

  it('may return a value with issues of null', async () => {
    const schema = returning({ value: 1, issues: null })
    expect(await check('x', {}, { x: schema })).toEqual({ data: 1, warnings: [] })
  })

  it('may return an issue that rejects after an invalid issue', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    const schema = returning({ issues: [null, Promise.reject(new Error('later'))] })
    await expect(checkData('x', {}, { x: schema }, [])).rejects.toThrow(TypeError)
    // Node reports a rejection after the microtasks of the same turn.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })
})

/** A schema that returns this for all data. */
function returning(result: unknown): StandardSchema {
  return { '~standard': { version: 1, vendor: 'test', validate: () => result as never } }
}
