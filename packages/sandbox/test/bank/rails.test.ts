import { describe, expect, test } from 'vitest'
import { railsOf } from '../../src/bank/rails.js'
import { shapeA, shapeB, startReceiver, startTestSandbox, type TestSandbox } from '../rig.js'

/** Makes a transfer on a rail, in both shapes, and lets time pass. Returns the records. */
async function both(sandbox: TestSandbox, rail: string, seconds = 2) {
  const made = [
    await sandbox.post('/v1/transfers', shapeA(rail)),
    await sandbox.post('/v1/transfers', shapeB(rail)),
  ]
  expect(made.map(({ status }) => status)).toEqual([201, 201])
  await sandbox.advance({ seconds })
  await sandbox.idle()
  return Promise.all(made.map(async ({ body }) => (await sandbox.get(`/v1/transfers/${body.id}`)).body))
}

/** The types of the events of a transfer, the oldest first. */
async function eventsOf(sandbox: TestSandbox, transferId: string) {
  const { body } = await sandbox.get('/v1/events?limit=100')
  return body.data
    .filter(({ data }: { data: { transferId: string } }) => data.transferId === transferId)
    .reverse()
}

const typesOf = async (sandbox: TestSandbox, id: string) =>
  (await eventsOf(sandbox, id)).map(({ type }: { type: string }) => type)

const linesOf = async (sandbox: TestSandbox, id: string) =>
  (await sandbox.get(`/v1/ledger/entries?transferId=${id}`)).body.data

async function withReceiver() {
  const sandbox = await startTestSandbox()
  const receiver = await startReceiver()
  await sandbox.subscribe({ url: receiver.url, events: ['*'] })
  return { sandbox, receiver }
}

describe('the rail of shape B, or the network of shape A, decides what happens', () => {
  test.each(['mobile_money', 'bank_account', 'sim_settle'])(
    '%s settles: exactly transfer.settled and then ledger.matched',
    async (rail) => {
      const { sandbox, receiver } = await withReceiver()
      for (const transfer of await both(sandbox, rail)) {
        expect(transfer).toMatchObject({ status: 'settled', ledgerState: 'matched', rail })
        const [settled, matched, ...more] = await eventsOf(sandbox, transfer.id)
        expect(more).toEqual([])
        expect(settled).toMatchObject({
          type: 'transfer.settled',
          environment: 'sandbox',
          data: { transferId: transfer.id, status: 'settled', rail, ledgerState: 'matched' },
        })
        const lines = await linesOf(sandbox, transfer.id)
        expect(matched.data).toEqual({
          transferId: transfer.id,
          ledgerState: 'matched',
          journalEntryId: lines.find(({ amount }: { amount: string }) => amount === '10.50').id,
        })
        expect(lines.map(({ amount }: { amount: string }) => amount).sort()).toEqual(['-10.50', '10.50'])
      }
      expect(receiver.types().sort()).toEqual([
        'ledger.matched',
        'ledger.matched',
        'transfer.settled',
        'transfer.settled',
      ])
    },
  )

  test.each([
    ['sim_fail_funds', 'insufficient_funds'],
    ['sim_fail_recipient', 'recipient_rejected'],
    ['sim_fail_network', 'network_unavailable'],
  ])('%s fails with %s and releases the reservation', async (rail, code) => {
    const { sandbox } = await withReceiver()
    for (const transfer of await both(sandbox, rail)) {
      expect(transfer).toMatchObject({ status: 'failed', ledgerState: 'pending', failure: { code } })
      const [failed, ...more] = await eventsOf(sandbox, transfer.id)
      expect(more).toEqual([])
      expect(failed).toMatchObject({
        type: 'transfer.failed',
        data: { transferId: transfer.id, status: 'failed', rail, failureCode: code },
      })
      expect(typeof failed.data.failureReason).toBe('string')
      expect(await linesOf(sandbox, transfer.id)).toEqual([])
    }
    const { body } = await sandbox.get('/v1/wallets/wallet_kes_ada/balance')
    expect(body).toEqual({ available: '1000000.00', pending: '0.00' })
  })

  test('sim_late settles ten minutes after its creation, by the clock of the sandbox', async () => {
    const { sandbox } = await withReceiver()
    const [early] = await both(sandbox, 'sim_late', 599)
    expect(early.status).toBe('processing')
    await sandbox.advance({ seconds: 1 })
    const late = (await sandbox.get(`/v1/transfers/${early.id}`)).body
    expect(late.status).toBe('settled')
    expect(Date.parse(late.updatedAt) - Date.parse(late.createdAt)).toBe(600_000)
  })

  test('sim_stuck stays pending', async () => {
    const { sandbox, receiver } = await withReceiver()
    for (const transfer of await both(sandbox, 'sim_stuck', 90 * 24 * 3600)) {
      expect(transfer.status).toBe('pending')
      expect(await eventsOf(sandbox, transfer.id)).toEqual([])
    }
    expect(receiver.received).toEqual([])
  })

  test('sim_no_webhook settles, and its events exist and are never delivered', async () => {
    const { sandbox, receiver } = await withReceiver()
    for (const transfer of await both(sandbox, 'sim_no_webhook', 3600)) {
      expect(transfer.status).toBe('settled')
      expect(await typesOf(sandbox, transfer.id)).toEqual(['transfer.settled', 'ledger.matched'])
    }
    expect(receiver.received).toEqual([])
  })

  test('sim_duplicate delivers every event twice, with the same id and the same bytes', async () => {
    const { sandbox, receiver } = await withReceiver()
    const [transfer] = await both(sandbox, 'sim_duplicate')
    const mine = receiver.received.filter(({ event }) => event.data.transferId === transfer.id)
    expect(mine.map(({ event }) => event.type).sort()).toEqual([
      'ledger.matched',
      'ledger.matched',
      'transfer.settled',
      'transfer.settled',
    ])
    expect(new Set(mine.map(({ event }) => event.id)).size).toBe(2)
    expect(new Set(mine.map(({ body }) => body.toString())).size).toBe(2)
  })

  test('sim_reorder delivers ledger.matched before transfer.settled, and createdAt stays true', async () => {
    const { sandbox, receiver } = await withReceiver()
    for (const { id } of await both(sandbox, 'sim_reorder')) {
      const mine = receiver.received.map(({ event }) => event).filter(({ data }) => data.transferId === id)
      expect(mine.map(({ type }) => type)).toEqual(['ledger.matched', 'transfer.settled'])
      expect(mine[1].createdAt <= mine[0].createdAt).toBe(true)
    }
  })

  test('sim_contradict settles, and emits transfer.failed first and the correct events one second later', async () => {
    const { sandbox } = await withReceiver()
    for (const transfer of await both(sandbox, 'sim_contradict')) {
      expect(transfer).toMatchObject({ status: 'settled', ledgerState: 'matched' })
      expect(transfer.failure).toBeUndefined()
      expect(await linesOf(sandbox, transfer.id)).toHaveLength(2)
      const events = await eventsOf(sandbox, transfer.id)
      expect(events.map(({ type }: { type: string }) => type)).toEqual([
        'transfer.failed',
        'transfer.settled',
        'ledger.matched',
      ])
      expect(Date.parse(events[1].createdAt) - Date.parse(events[0].createdAt)).toBe(1000)
    }
  })

  test.each([
    ['approved', 'settled', ['approval.updated', 'approval.updated', 'transfer.settled', 'ledger.matched']],
    ['rejected', 'rejected', ['approval.updated', 'approval.updated']],
  ])('sim_approval waits for a decision: %s ends %s', async (decision, end, types) => {
    const { sandbox } = await withReceiver()
    const [transfer] = await both(sandbox, 'sim_approval', 3600)
    expect(transfer.status).toBe('pending_approval')
    const approval = (await sandbox.get('/v1/approvals')).body.data.find(
      ({ transferId }: { transferId: string }) => transferId === transfer.id,
    )
    expect(approval).toMatchObject({ object: 'approval', status: 'pending' })
    const decided = await sandbox.post(`/_sandbox/approvals/${approval.id}/decide`, { decision })
    expect([decided.status, decided.body.status]).toEqual([200, decision])
    await sandbox.advance({ seconds: 2 })
    expect((await sandbox.get(`/v1/transfers/${transfer.id}`)).body.status).toBe(end)
    expect(await typesOf(sandbox, transfer.id)).toEqual(types)
    const [asked, answered] = await eventsOf(sandbox, transfer.id)
    expect(asked.data).toEqual({ approvalId: approval.id, transferId: transfer.id, status: 'pending' })
    expect(answered.data.status).toBe(decision)
    const again = await sandbox.post(`/_sandbox/approvals/${approval.id}/decide`, { decision })
    expect([again.status, again.body.code]).toEqual([409, 'approval_decided'])
  })

  test('sim_exception settles: the event has ledger state matched, the record has exception, and ledger.matched is not emitted', async () => {
    const { sandbox } = await withReceiver()
    for (const transfer of await both(sandbox, 'sim_exception', 3600)) {
      expect(transfer).toMatchObject({ status: 'settled', ledgerState: 'exception' })
      const events = await eventsOf(sandbox, transfer.id)
      expect(events).toHaveLength(1)
      expect(events[0].data.ledgerState).toBe('matched')
    }
  })

  test('and GET /_sandbox/seeds lists every one', async () => {
    const sandbox = await startTestSandbox()
    const { body } = await sandbox.get('/_sandbox/seeds')
    expect(body.rails.map(({ id }: { id: string }) => id)).toEqual(
      railsOf('mobile_money').map(({ id }) => id),
    )
    expect(body.networks).toEqual(body.rails)
  })
})

test('a subscription gets the types that it names, in the envelope that it names', async () => {
  const sandbox = await startTestSandbox({ product: 'stablecoins' })
  const failures = await startReceiver()
  const snake = await startReceiver()
  await sandbox.post('/webhook-subscriptions', { url: failures.url, events: ['transfer.failed'] })
  await sandbox.post('/v1/webhook-subscriptions', {
    url: snake.url,
    events: ['transfer.*'],
    envelope: 'snake_case',
  })
  await both(sandbox, 'sim_settle')
  expect(failures.received).toEqual([])
  expect(snake.types()).toEqual(['transfer.settled', 'transfer.settled'])
  const [first] = snake.received
  expect(Object.keys(first?.event)).toEqual(['id', 'type', 'product', 'created_at', 'data'])
  expect(first?.event.product).toBe('stablecoins')
  expect(Object.keys(first?.event.data)).toEqual(['transfer_id', 'status', 'rail', 'ledger_state'])
  expect(first?.headers['service-event-id']).toBe(first?.event.id)
})
