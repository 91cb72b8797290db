import { describe, expect, test, vi } from 'vitest'
import { ReplayError, SubscriptionError } from '../src/index.js'
import { shapeA, startReceiver, startTestSandbox, stateFile, type TestSandbox } from './rig.js'

describe('waitForDelivery waits for an attempt that matches', () => {
  test.each([
    ['type', (sent: Sent) => ({ type: sent.type })],
    ['eventId', (sent: Sent) => ({ eventId: sent.id })],
    ['status', () => ({ status: 422 })],
  ] as const)('by %s', async (_, filterOf) => {
    const sandbox = await startTestSandbox({ retry: 'none' })
    const receiver = await startReceiver(({ event }) => (event.type === 'evidence.refused' ? 422 : 200))
    await sandbox.subscribe({ url: receiver.url, events: ['*'] })
    await sandbox.request('PUT', '/_sandbox/chaos', { all: { latency: { probability: 1, seconds: 0.05 } } })
    const other = await sandbox.emit('evidence.exported')
    const sent = await sandbox.emit('evidence.refused')
    const found = await sandbox.waitForDelivery(filterOf(sent))
    expect(found).toMatchObject({ eventId: sent.id, eventType: 'evidence.refused', state: 'exhausted' })
    expect(found.attempt).toMatchObject({ number: 1, response: { status: 422 } })
    expect((await sandbox.waitForDelivery({ eventId: other.id })).attempt.response?.status).toBe(200)
  })

  test('by its outcome', async () => {
    const sandbox = await startTestSandbox()
    const { createServer } = await import('node:http')
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.end('{"outcome":"duplicate"}'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await sandbox.subscribe({ url: `http://127.0.0.1:${port}/`, events: ['*'] })
    const future = sandbox.waitForDelivery({ outcome: 'duplicate' })
    const never = sandbox.waitForDelivery({ outcome: 'processed' }, { timeoutSeconds: 0.2 })
    const [{ id }] = await Promise.all([
      sandbox.emit('evidence.exported'),
      expect(never).rejects.toThrow('No delivery matched {"outcome":"processed"} within 0.2 s.'),
    ])
    expect((await future).eventId).toBe(id)
    server.close()
    server.closeAllConnections()
  })

  test('and rejects when its time is over, for a filter of several fields too', async () => {
    const sandbox = await startTestSandbox()
    const receiver = await startReceiver()
    await sandbox.subscribe({ url: receiver.url, events: ['*'] })
    const filter = { type: 'evidence.exported', status: 500 }
    const waiting = expect(sandbox.waitForDelivery(filter, { timeoutSeconds: 0.3 })).rejects.toThrow(
      'No delivery matched {"type":"evidence.exported","status":500} within 0.3 s.',
    )
    await sandbox.emit('evidence.exported')
    await waiting
  })
})

interface Sent {
  readonly id: string
  readonly type: string
}

test('a duration is the sum of its fields', async () => {
  const sandbox = await startTestSandbox()
  const now = async () => (await sandbox.get('/_sandbox/clock')).body.now
  await sandbox.advance({})
  expect(await now()).toBe('2026-01-01T00:00:00.000Z')
  await sandbox.advance({ days: 2, hours: 3, minutes: 4, seconds: 5.5 })
  expect(await now()).toBe('2026-01-03T03:04:05.500Z')
})

test('the address of a sandbox on IPv6 has brackets', async () => {
  const sandbox = await startTestSandbox({ host: '::1' })
  expect(sandbox.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
  expect((await sandbox.get('/v1/wallets')).status).toBe(200)
})

test('a replay that cannot be made says why', async () => {
  const sandbox = await startTestSandbox()
  const event = await sandbox.emit('evidence.exported')
  const failure = (given: Parameters<typeof sandbox.replay>[1], id = event.id) =>
    sandbox.replay(id, given).catch((error: unknown) => error)
  expect(await failure({})).toMatchObject({
    name: 'ReplayError',
    code: 'no_subscription',
    message: 'no enabled subscription wants evidence.exported',
  })
  expect(await failure({}, 'evt_none')).toMatchObject({ message: 'there is no event evt_none' })
  await sandbox.subscribe({ url: 'http://127.0.0.1:9/', events: ['evidence.exported'] })
  for (const times of [0, 101, 1.5]) {
    expect(await failure({ times })).toMatchObject({
      code: 'invalid_times',
      message: 'times must be 1 to 100',
    })
  }
  expect(await failure({ signature: 'original' })).toMatchObject({
    code: 'not_sent_yet',
    message: `${event.id} was not sent yet, so it has no original signature`,
  })
  expect(await failure({ times: 1 })).not.toBeInstanceOf(ReplayError)
})

test('a subscription that cannot be made says which field is wrong', async () => {
  const sandbox = await startTestSandbox()
  const url = 'http://10.0.0.1/'
  const failure = await sandbox.subscribe({ url, events: ['*'] }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(SubscriptionError)
  expect(failure).toMatchObject({
    name: 'SubscriptionError',
    code: 'invalid_url',
    param: 'url',
    message: 'url 10.0.0.1 is not on this machine, and http: is for loopback only',
  })
})

test('a retry and an edited delivery that cannot be made are 409 or 404', async () => {
  const sandbox = await startTestSandbox({ retry: 'none' })
  const { createServer } = await import('node:http')
  let answer = () => {}
  const server = createServer((request, response) => {
    request.resume()
    answer = () => response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const { id: subscription } = await sandbox.subscribe({ url: `http://127.0.0.1:${port}/`, events: ['*'] })
  await sandbox.emit('evidence.exported')
  const [{ id }] = (await sandbox.get('/_sandbox/deliveries')).body.data
  const retry = () => sandbox.post(`/_sandbox/deliveries/${id}/retry`, {})
  await vi.waitFor(async () =>
    expect((await retry()).body).toMatchObject({
      status: 409,
      code: 'not_deliverable',
      detail: `an attempt for ${id} is under way.`,
    }),
  )
  const edited = await sandbox.post(`/_sandbox/deliveries/${id}/send`, { body: '', signature: 'original' })
  expect(edited.body.detail).toBe(`${id} was not sent yet, so it has no original signature.`)
  await vi.waitFor(() => {
    answer()
    return expect(sandbox.waitForDelivery({ status: 200 }, { timeoutSeconds: 0.1 })).resolves.toBeDefined()
  })
  await sandbox.request('DELETE', `/webhook-subscriptions/${subscription}`)
  const gone = `the subscription of ${id} is disabled or deleted.`
  expect((await retry()).body).toMatchObject({ status: 409, detail: gone })
  const sent = await sandbox.post(`/_sandbox/deliveries/${id}/send`, { body: '' })
  expect(sent.body).toMatchObject({ status: 409, detail: gone })
  server.close()
  server.closeAllConnections()
})

test('hundreds of transfers that are due together all move', async () => {
  const sandbox = await startTestSandbox()
  const count = 260
  for (let made = 0; made < count; made++) {
    await sandbox.post('/v1/transfers', shapeA('sim_settle', { amount: '0.01' }))
  }
  await sandbox.advance({ seconds: 1 })
  const { body } = await sandbox.get('/v1/wallets/wallet_kes_ada/balance')
  expect(body).toEqual({ available: '999997.40', pending: '0.00' })
})

test('a transfer may settle after a part of a millisecond, with an approval too', async () => {
  const sandbox = await startTestSandbox({ settleAfterSeconds: 0.0015 })
  const [plain, asking] = [
    await sandbox.post('/v1/transfers', shapeA()),
    await sandbox.post('/v1/transfers', shapeA('sim_approval')),
  ]
  await sandbox.advance({ seconds: 1 })
  const [{ id }] = (await sandbox.get('/v1/approvals')).body.data
  await sandbox.post(`/_sandbox/approvals/${id}/decide`, { decision: 'approved' })
  const read = async (made: typeof plain) => (await sandbox.get(`/v1/transfers/${made.body.id}`)).body
  expect(await read(plain)).toMatchObject({ status: 'settled', updatedAt: '2026-01-01T00:00:00.001Z' })
  expect((await read(asking)).status).toBe('processing')
  await sandbox.advance({ seconds: 0.002 })
  expect(await read(asking)).toMatchObject({ status: 'settled', updatedAt: '2026-01-01T00:00:01.001Z' })
})

test.each(['real', 'virtual'] as const)(
  'idle waits for what is due by a %s clock, and what follows',
  async (clock) => {
    const sandbox = await startTestSandbox({ clock, settleAfterSeconds: 0 })
    const receiver = await startReceiver()
    await sandbox.subscribe({ url: receiver.url, events: ['*'] })
    const { body } = await sandbox.post('/v1/transfers', shapeA())
    await sandbox.idle()
    expect((await sandbox.get(`/v1/transfers/${body.id}`)).body.status).toBe('settled')
    expect(receiver.types().sort()).toEqual(['ledger.matched', 'transfer.settled'])
  },
)

test('a real clock stays ahead by what it was advanced, also after a restart', async () => {
  const options = { clock: 'real', state: stateFile() } as const
  const hoursAhead = async (sandbox: TestSandbox) => {
    const { body } = await sandbox.get('/_sandbox/clock')
    return Math.abs(Math.round((Date.parse(body.now) - Date.now()) / 3_600_000))
  }
  const first = await startTestSandbox(options)
  expect(await hoursAhead(first)).toBe(0)
  await first.advance({ hours: 5 })
  await first.advance({ hours: 2 })
  expect(await hoursAhead(first)).toBe(7)
  await first.close()
  expect(await hoursAhead(await startTestSandbox(options))).toBe(7)
})

test('a transfer that is rejected for lack of money says what is available', async () => {
  const sandbox = await startTestSandbox()
  await sandbox.post('/v1/transfers', shapeA('sim_stuck', { amount: '999999.99' }))
  const { body } = await sandbox.post('/v1/transfers', shapeA('sim_settle', { amount: '0.02' }))
  expect(body.detail).toBe('The wallet has 0.01 KES available.')
})
