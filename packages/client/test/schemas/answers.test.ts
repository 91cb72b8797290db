import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import * as schemas from '../../src/schemas/index.js'

const createdAt = '2026-01-02T03:04:05.678Z'
const settled = { transferId: 'tr_1', status: 'settled', rail: 'sim_settle', ledgerState: 'matched' }
const event = { id: 'evt_1', type: 'transfer.settled', environment: 'sandbox', createdAt, data: settled }
const wallet = {
  id: 'wallet_kes_ada',
  object: 'wallet',
  owner: 'cus_ada',
  currency: 'KES',
  status: 'active',
  balance: { available: '1000000.00', pending: '0.00' },
  createdAt,
}

describe('answers are loose', () => {
  test('an unknown field survives at each depth', () => {
    const grown = { ...wallet, limits: { daily: '1.00' }, balance: { ...wallet.balance, held: '0.00' } }
    expect(schemas.Wallet.parse(grown)).toEqual(grown)
    const more = { ...event, data: { ...settled, corridor: 'KE-UG' }, version: 2 }
    expect(schemas.ServiceEvent.parse(more)).toEqual(more)
  })

  test('an unknown status, currency or event type is normal', () => {
    expect(schemas.Wallet.safeParse({ ...wallet, status: 'frozen', currency: 'QQQ' }).success).toBe(true)
    const other = { ...event, type: 'evidence.exported', data: { any: 1 } }
    expect(schemas.ServiceEvent.parse(other)).toEqual(other)
  })
})

describe('events', () => {
  test('known types have their data checked in both envelopes', () => {
    const { transferId: _, ...broken } = settled
    expect(schemas.ServiceEvent.safeParse({ ...event, data: broken }).success).toBe(false)
    const snake = {
      id: 'evt_1',
      type: 'transfer.settled',
      product: 'mobile_money',
      created_at: createdAt,
      data: { transfer_id: 'tr_1', status: 'settled', rail: 'sim_settle', ledger_state: 'matched' },
    }
    expect(schemas.SnakeCaseServiceEvent.parse(snake)).toEqual(snake)
    expect(schemas.SnakeCaseServiceEvent.safeParse({ ...snake, data: settled }).success).toBe(false)
    expect(schemas.SnakeCaseServiceEvent.safeParse(event).success).toBe(false)
  })

  test('isKnownEvent is true for the four types of the interface', () => {
    const parsed = schemas.ServiceEvent.parse(event)
    expect(schemas.isKnownEvent(parsed)).toBe(true)
    expect(schemas.isKnownEvent({ ...parsed, type: 'constructor', data: {} })).toBe(false)
    for (const odd of [null, undefined, 'transfer.settled', {}, { type: Symbol('s') }]) {
      expect(schemas.isKnownEvent(odd as never)).toBe(false)
    }
  })
})

describe('the OpenAPI metadata', () => {
  const all = Object.entries<unknown>(schemas).flatMap(([name, schema]) =>
    schema instanceof z.ZodType ? [[name, schema] as const] : [],
  )

  test('each id is given once', () => {
    const ids = all.flatMap(([, schema]) => schema.meta()?.id ?? [])
    expect(ids.length).toBeGreaterThan(25)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('each schema can be written as JSON Schema', () => {
    for (const [name, schema] of all) {
      expect(z.toJSONSchema(schema, { io: 'input' }), name).toBeTypeOf('object')
    }
  })

  test('what the interface does not publish carries the number of its gap', () => {
    const json = JSON.stringify(z.toJSONSchema(schemas.Transfer))
    expect(json).toContain('"x-assumed":"G11"')
    expect(schemas.TransferSettledData.meta()).not.toHaveProperty('x-assumed')
    expect(schemas.TransferFailedData.meta()).toHaveProperty('x-assumed', 'G22')
  })
})

test('identifiers have the published shapes, which JSON Schema shows too', () => {
  for (const [schema, good, bad] of [
    [schemas.WalletId, 'wallet_kes_1', 'wallet_KES_1'],
    [schemas.TransferId, 'tr_1', 'tr_'],
    [schemas.EventId, 'evt_1', 'event_1'],
    [schemas.CustomerId, 'cus_1', 'cus-1'],
  ] as const) {
    expect(schema.safeParse(good).success).toBe(true)
    expect(schema.safeParse(bad).success).toBe(false)
    const { pattern } = z.toJSONSchema(schema) as { pattern: string }
    expect(new RegExp(pattern).test(good)).toBe(true)
    expect(new RegExp(pattern).test(bad)).toBe(false)
  }
})
