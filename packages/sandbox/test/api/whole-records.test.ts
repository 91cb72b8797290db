import { expect, test } from 'vitest'
import { shapeA, shapeB, startTestSandbox } from '../rig.js'

const start = '2026-01-01T00:00:00.000Z'

test('a wallet is shown with its owner, its currency and its balance', async () => {
  const sandbox = await startTestSandbox()
  const wallet = {
    id: 'wallet_kes_ada',
    object: 'wallet',
    owner: 'cus_ada',
    currency: 'KES',
    status: 'active',
    balance: { available: '1000000.00', pending: '0.00' },
    createdAt: start,
  }
  expect((await sandbox.get('/v1/wallets/wallet_kes_ada')).body).toEqual(wallet)
  await sandbox.advance({ seconds: 5 })
  const made = await sandbox.post('/v1/wallets', { owner: 'cus_dan', currency: 'EUR' })
  expect(made.body).toEqual({
    ...wallet,
    id: expect.stringMatching(/^wallet_eur_[0-9A-Z]{26}$/),
    owner: 'cus_dan',
    currency: 'EUR',
    balance: { available: '0.00', pending: '0.00' },
    createdAt: '2026-01-01T00:00:05.000Z',
  })
})

test('a transfer is shown as it was given, and with where it stands', async () => {
  const sandbox = await startTestSandbox()
  const request = shapeA('sim_fail_network', { metadata: { orderId: '7' } })
  const { body: made } = await sandbox.post('/v1/transfers', request)
  const { destination, source, currency } = request
  const transfer = {
    id: expect.stringMatching(/^tr_[0-9A-Z]{26}$/),
    object: 'transfer',
    status: 'pending',
    rail: 'sim_fail_network',
    ledgerState: 'pending',
    source,
    destination,
    amount: '10.50',
    amountMinor: 1050,
    currency,
    metadata: { orderId: '7' },
    createdAt: start,
    updatedAt: start,
  }
  expect(made).toEqual(transfer)
  await sandbox.advance({ seconds: 1 })
  expect((await sandbox.get(`/v1/transfers/${made.id}`)).body).toEqual({
    ...transfer,
    status: 'failed',
    updatedAt: '2026-01-01T00:00:00.100Z',
    failure: { code: 'network_unavailable', reason: 'The network did not confirm the payout.' },
  })
  const inner = await sandbox.post('/v1/transfers', shapeB())
  expect(inner.body).toEqual({
    ...transfer,
    rail: 'sim_settle',
    destination: 'wallet_kes_ben',
    amount: 10.5,
    metadata: {},
    createdAt: '2026-01-01T00:00:01.000Z',
    updatedAt: '2026-01-01T00:00:01.000Z',
  })
  await sandbox.advance({ seconds: 1 })
  expect((await sandbox.get(`/v1/transfers/${inner.body.id}`)).body).toMatchObject({
    status: 'settled',
    ledgerState: 'matched',
    updatedAt: '2026-01-01T00:00:01.100Z',
  })
})

test('an approval is shown with its transfer, before and after the decision', async () => {
  const sandbox = await startTestSandbox()
  const { body: transfer } = await sandbox.post('/v1/transfers', shapeA('sim_approval'))
  await sandbox.advance({ seconds: 1 })
  const [pending] = (await sandbox.get('/v1/approvals')).body.data
  const approval = {
    id: expect.stringMatching(/^apr_[0-9A-Z]{26}$/),
    object: 'approval',
    transferId: transfer.id,
    status: 'pending',
    createdAt: '2026-01-01T00:00:00.050Z',
    updatedAt: '2026-01-01T00:00:00.050Z',
  }
  expect(pending).toEqual(approval)
  expect((await sandbox.get(`/v1/approvals/${pending.id}`)).body).toEqual(approval)
  const decided = await sandbox.post(`/_sandbox/approvals/${pending.id}/decide`, { decision: 'rejected' })
  expect(decided.body).toEqual({ ...approval, status: 'rejected', updatedAt: '2026-01-01T00:00:01.000Z' })
})

test('each journal line is shown with its account, and that of a transfer with the transfer', async () => {
  const sandbox = await startTestSandbox()
  const { body: transfer } = await sandbox.post('/v1/transfers', shapeB())
  const { body: outside } = await sandbox.post('/v1/transfers', shapeA())
  await sandbox.advance({ seconds: 1 })
  const lines = async (query: string) => (await sandbox.get(`/v1/ledger/entries?${query}`)).body.data
  const line = {
    id: expect.stringMatching(/^je_[0-9A-Z]{26}$/),
    currency: 'KES',
    createdAt: '2026-01-01T00:00:00.100Z',
  }
  expect(await lines(`transferId=${transfer.id}`)).toEqual([
    { ...line, transferId: transfer.id, account: 'wallet_kes_ben', amount: '10.50' },
    { ...line, transferId: transfer.id, account: 'wallet_kes_ada', amount: '-10.50' },
  ])
  expect(await lines(`transferId=${outside.id}&account=outside_kes_sim_settle`)).toEqual([
    { ...line, transferId: outside.id, account: 'outside_kes_sim_settle', amount: '10.50' },
  ])
  expect(await lines('account=wallet_kes_chi')).toEqual([
    { ...line, account: 'wallet_kes_chi', amount: '1000000.00', createdAt: start },
  ])
  expect(await lines('account=wallet_kes_dan')).toEqual([])
  const opening = await lines('account=outside_kes_opening')
  expect(opening.map(({ amount }: { amount: string }) => amount)).toEqual(Array(3).fill('-1000000.00'))
})

test('a subscription is shown whole, and with its secret once', async () => {
  const sandbox = await startTestSandbox()
  const request = { url: 'http://127.0.0.1:9/', events: ['transfer.*'] }
  const { body, headers } = await sandbox.post('/v1/webhook-subscriptions', request)
  const subscription = {
    id: expect.stringMatching(/^whe_[0-9A-Z]{26}$/),
    ...request,
    envelope: 'camelCase',
    status: 'enabled',
    createdAt: start,
  }
  expect(body).toEqual({ ...subscription, secret: expect.stringMatching(/^whsec_local_/) })
  expect(headers.get('location')).toBe(`/v1/webhook-subscriptions/${body.id}`)
  const bare = await sandbox.post('/webhook-subscriptions', { ...request, description: 'Ours' })
  expect(bare.headers.get('location')).toBe(`/webhook-subscriptions/${bare.body.id}`)
  const { body: page } = await sandbox.get('/v1/webhook-subscriptions')
  expect(page).toEqual({
    data: [{ ...subscription, description: 'Ours' }, subscription],
    hasMore: false,
    nextCursor: null,
  })
})

test('an event is shown as it is sent', async () => {
  const sandbox = await startTestSandbox()
  const { body: transfer } = await sandbox.post('/v1/transfers', shapeA('sim_fail_funds'))
  await sandbox.advance({ seconds: 1 })
  const [event] = (await sandbox.get('/v1/events')).body.data
  expect(event).toEqual({
    id: expect.stringMatching(/^evt_[0-9A-Z]{26}$/),
    type: 'transfer.failed',
    environment: 'sandbox',
    createdAt: '2026-01-01T00:00:00.100Z',
    data: {
      transferId: transfer.id,
      status: 'failed',
      rail: 'sim_fail_funds',
      ledgerState: 'pending',
      failureCode: 'insufficient_funds',
      failureReason: 'The source had no funds when the rail executed the transfer.',
    },
  })
  expect((await sandbox.get(`/v1/events/${event.id}`)).body).toEqual(event)
})
