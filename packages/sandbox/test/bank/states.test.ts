import { describe, expect, test } from 'vitest'
import { transferStates } from '../../src/bank/states.js'
import { shapeA, startTestSandbox, type TestSandbox } from '../rig.js'

/** How a person brings a new transfer into each state. */
const ways = {
  pending: [],
  pending_approval: ['pending_approval'],
  processing: ['processing'],
  settled: ['processing', 'settled'],
  failed: ['processing', 'failed'],
  rejected: ['pending_approval', 'rejected'],
} as const

const possible = [
  'pending -> pending_approval',
  'pending -> processing',
  'pending_approval -> processing',
  'pending_approval -> rejected',
  'processing -> settled',
  'processing -> failed',
]

const simulate = (sandbox: TestSandbox, id: string, to: string, failureCode?: string) =>
  sandbox.post(`/_sandbox/transfers/${id}/simulate`, { to, ...(failureCode && { failureCode }) })

async function transferIn(sandbox: TestSandbox, state: keyof typeof ways): Promise<string> {
  const { body } = await sandbox.post('/v1/transfers', shapeA('sim_stuck'))
  for (const step of ways[state]) {
    expect((await simulate(sandbox, body.id, step)).status).toBe(200)
  }
  return body.id
}

describe('a transfer goes from one state to another only where a transition exists', () => {
  const pairs = transferStates.flatMap((from) => transferStates.map((to) => [from, to] as const))
  test.each(pairs)('%s -> %s', async (from, to) => {
    const sandbox = await startTestSandbox()
    const id = await transferIn(sandbox, from)
    const { status, body } = await simulate(sandbox, id, to)
    const stored = (await sandbox.get(`/v1/transfers/${id}`)).body
    if (possible.includes(`${from} -> ${to}`)) {
      expect([status, body.status, stored.status]).toEqual([200, to, to])
    } else {
      expect([status, body.code, stored.status]).toEqual([409, 'impossible_transition', from])
    }
  })
})

describe('a transfer that was moved by hand', () => {
  test('keeps its state until it is moved again', async () => {
    const sandbox = await startTestSandbox()
    const { body } = await sandbox.post('/v1/transfers', shapeA('sim_settle'))
    await simulate(sandbox, body.id, 'processing')
    await sandbox.advance({ days: 3 })
    expect((await sandbox.get(`/v1/transfers/${body.id}`)).body.status).toBe('processing')
    await simulate(sandbox, body.id, 'settled')
    expect((await sandbox.get(`/v1/transfers/${body.id}`)).body.status).toBe('settled')
  })

  test('fails with the code that was asked for', async () => {
    const sandbox = await startTestSandbox()
    const id = await transferIn(sandbox, 'processing')
    const { body } = await simulate(sandbox, id, 'failed', 'account_closed')
    expect(body.failure.code).toBe('account_closed')
    const [event] = (await sandbox.get('/v1/events?limit=1')).body.data
    expect(event).toMatchObject({
      type: 'transfer.failed',
      data: { transferId: id, failureCode: 'account_closed' },
    })
  })

  test.each([
    ['sim_stuck', undefined, 'simulated', 'A person made this transfer fail.'],
    ['sim_stuck', 'account_closed', 'account_closed', 'A person made this transfer fail.'],
    ['sim_stuck', 'recipient_rejected', 'recipient_rejected', 'The recipient cannot receive transfers.'],
    ['sim_fail_network', undefined, 'network_unavailable', 'The network did not confirm the payout.'],
    [
      'sim_fail_network',
      'recipient_rejected',
      'recipient_rejected',
      'The recipient cannot receive transfers.',
    ],
  ])('fails on %s with the code %s for the reason of its rail', async (rail, given, code, reason) => {
    const sandbox = await startTestSandbox()
    const { body: made } = await sandbox.post('/v1/transfers', shapeA(rail))
    await simulate(sandbox, made.id, 'processing')
    const { body } = await simulate(sandbox, made.id, 'failed', given)
    expect(body.failure).toEqual({ code, reason })
  })

  test('is 404 for an unknown transfer, and 422 for an unknown state', async () => {
    const sandbox = await startTestSandbox()
    expect((await simulate(sandbox, 'tr_none', 'settled')).status).toBe(404)
    const id = await transferIn(sandbox, 'pending')
    const { status, body } = await simulate(sandbox, id, 'done')
    expect([status, body.param]).toEqual([422, 'to'])
  })
})
