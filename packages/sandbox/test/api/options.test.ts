import { describe, expect, test } from 'vitest'
import { shapeA, shapeB, startTestSandbox } from '../rig.js'

describe('the option shape', () => {
  test.each([
    ['a', shapeA(), shapeB(), 'an object (shape A)'],
    ['b', shapeB(), shapeA(), 'the id of a wallet (shape B)'],
  ] as const)('%s rejects the other shape', async (shape, accepted, refused, wanted) => {
    const sandbox = await startTestSandbox({ shape })
    expect((await sandbox.post('/v1/transfers', accepted)).status).toBe(201)
    const { status, body, headers } = await sandbox.post('/v1/transfers', refused)
    expect([status, body.param, body.detail]).toEqual([422, 'destination', `destination must be ${wanted}.`])
    expect(headers.get('sandbox-assumption')).toBe('G3')
  })
})

describe('the option shapeBUnit', () => {
  test('minor reads the amount of shape B in minor units, and answers it so', async () => {
    const sandbox = await startTestSandbox({ shapeBUnit: 'minor' })
    const { body } = await sandbox.post('/v1/transfers', shapeB('sim_settle', { amount: 1050 }))
    expect([body.amount, body.amountMinor]).toEqual([1050, 1050])
    await sandbox.advance({ seconds: 1 })
    const balance = (await sandbox.get('/v1/wallets/wallet_kes_ben/balance')).body
    expect(balance.available).toBe('1000010.50')
  })

  test('minor rejects a fraction, and leaves shape A alone', async () => {
    const sandbox = await startTestSandbox({ shapeBUnit: 'minor' })
    const refused = await sandbox.post('/v1/transfers', shapeB('sim_settle', { amount: 10.5 }))
    expect([refused.status, refused.body.param]).toEqual([422, 'amount'])
    const { body } = await sandbox.post('/v1/transfers', shapeA())
    expect([body.amount, body.amountMinor]).toEqual(['10.50', 1050])
  })
})

describe('the option responseCase', () => {
  const options = [
    { responseCase: 'snake' },
    { responseCase: 'follow-envelope', envelope: 'snake_case' },
  ] as const
  test.each(options)(
    '%j writes the keys of answers in snake_case, also of a repeated POST',
    async (given) => {
      const sandbox = await startTestSandbox(given)
      const request = shapeA('sim_settle', { metadata: { orderId: '1' } })
      const headers = { 'Idempotency-Key': 'k' }
      const first = await sandbox.post('/v1/transfers', request, headers)
      expect(first.body).toMatchObject({
        ledger_state: 'pending',
        amount_minor: 1050,
        metadata: { orderId: '1' },
        created_at: '2026-01-01T00:00:00.000Z',
      })
      expect(first.body).not.toHaveProperty('amountMinor')
      expect((await sandbox.post('/v1/transfers', request, headers)).body).toEqual(first.body)
      const page = await sandbox.get('/v1/wallets?limit=1')
      expect(page.body).toMatchObject({ has_more: true, next_cursor: expect.any(String) })
    },
  )

  test.each([{}, { responseCase: 'follow-envelope' }] as const)(
    '%j leaves them in camelCase',
    async (given) => {
      const sandbox = await startTestSandbox(given)
      expect((await sandbox.post('/v1/transfers', shapeA())).body.amountMinor).toBe(1050)
    },
  )

  test('problem documents stay as their standard has them', async () => {
    const sandbox = await startTestSandbox({ responseCase: 'snake' })
    expect((await sandbox.get('/v1/transfers/tr_none')).body.requestId).toMatch(/^req_/)
  })
})

describe('the option prefix', () => {
  test.each([
    ['v1', 404, 200],
    ['none', 200, 404],
    ['both', 200, 200],
  ] as const)('%s serves subscriptions at its paths only', async (prefix, without, below) => {
    const sandbox = await startTestSandbox({ prefix })
    expect((await sandbox.get('/webhook-subscriptions')).status).toBe(without)
    expect((await sandbox.get('/v1/webhook-subscriptions')).status).toBe(below)
  })
})

describe('the option idempotencyConflict', () => {
  test.each([422, 409, 400] as const)('%i is the status where the body is another one', async (status) => {
    const sandbox = await startTestSandbox({ idempotencyConflict: status })
    const headers = { 'Idempotency-Key': 'k' }
    await sandbox.post('/v1/transfers', shapeA(), headers)
    const other = await sandbox.post('/v1/transfers', shapeA('sim_late'), headers)
    expect([other.status, other.body.status, other.body.code]).toEqual([
      status,
      status,
      'idempotency_key_reused',
    ])
  })
})

describe('the option deprecation', () => {
  test('sends the header Deprecation on every response of the API, rejections included', async () => {
    const sandbox = await startTestSandbox({ deprecation: '2027-01-31' })
    const answers = [
      await sandbox.get('/v1/wallets'),
      await sandbox.get('/v1/transfers/tr_none'),
      await sandbox.request('GET', '/v1/wallets', undefined, { Authorization: 'Basic x' }),
      await sandbox.get('/webhook-subscriptions'),
    ]
    const seconds = Date.UTC(2027, 0, 31) / 1000
    expect(answers.map(({ status, headers }) => [status, headers.get('deprecation')])).toEqual(
      [200, 404, 401, 200].map((status) => [status, `@${seconds}`]),
    )
    expect((await sandbox.get('/_sandbox/health')).headers.get('deprecation')).toBeNull()
  })

  test('nothing is deprecated by default', async () => {
    const sandbox = await startTestSandbox()
    expect((await sandbox.get('/v1/wallets')).headers.get('deprecation')).toBeNull()
  })
})
