import { describe, expect, test } from 'vitest'
import { shapeA, startReceiver, startTestSandbox } from '../rig.js'

async function settled() {
  const sandbox = await startTestSandbox({ retry: 'none' })
  const receiver = await startReceiver()
  await sandbox.subscribe({ url: receiver.url, events: ['transfer.*'] })
  await sandbox.post('/v1/transfers', shapeA())
  await sandbox.advance({ seconds: 1 })
  await sandbox.idle()
  const [event] = receiver.received.map((one) => one.event)
  return { sandbox, receiver, event }
}

describe('the control plane', () => {
  test('GET health reports that the sandbox runs', async () => {
    const sandbox = await startTestSandbox()
    const { status, body } = await sandbox.get('/_sandbox/health')
    expect([status, body]).toEqual([200, { status: 'ok', now: '2026-01-01T00:00:00.000Z' }])
  })

  test.each([
    ['POST', '/_sandbox/events'],
    ['PUT', '/_sandbox/chaos'],
  ])('a body that is too large is told the limit: %s %s', async (method, path) => {
    const sandbox = await startTestSandbox()
    const { status, body } = await sandbox.request(method, path, ' '.repeat(262_145))
    expect([status, body.code]).toEqual([413, 'body_too_large'])
    expect(body.detail).toBe('The body may have at most 262144 bytes.')
  })

  test('GET config shows the options, and each subscription with its secret', async () => {
    const sandbox = await startTestSandbox({ seed: 9, product: 'stablecoins' })
    const { id, secret } = await sandbox.subscribe({ url: 'http://127.0.0.1:9/', events: ['*'] })
    const { body } = await sandbox.get('/_sandbox/config')
    expect(body).toMatchObject({
      seed: 9,
      product: 'stablecoins',
      clock: 'virtual',
      retrySeconds: [1, 2, 5, 10, 30],
    })
    expect(body.subscriptions).toMatchObject([{ id, secret, events: ['*'], status: 'enabled' }])
  })

  test('GET requests lists the requests of the service plane, with replays of an Idempotency-Key', async () => {
    const sandbox = await startTestSandbox()
    const headers = { 'Idempotency-Key': 'k' }
    const first = await sandbox.post('/v1/transfers', shapeA(), headers)
    await sandbox.post('/v1/transfers', shapeA(), headers)
    await sandbox.get('/v1/nope')
    const { body } = await sandbox.get('/_sandbox/requests')
    expect(body.data).toMatchObject([
      { method: 'GET', path: '/v1/nope', status: 404, code: 'not_found', isReplayed: false, subject: '' },
      { method: 'POST', path: '/v1/transfers', status: 201, isReplayed: true },
      { method: 'POST', status: 201, isReplayed: false, subject: `${first.body.id}  sim_settle` },
    ])
    expect(body.data[2].id).toBe(first.headers.get('request-id'))
  })

  test('GET requests leaves out what the page of the inspector reads, not what it writes', async () => {
    const sandbox = await startTestSandbox()
    const own = { 'Sec-Fetch-Site': 'same-origin' }
    await sandbox.request('GET', '/v1/wallets', undefined, own)
    await sandbox.post('/v1/transfers', shapeA(), own)
    await sandbox.request('GET', '/v1/transfers', undefined, { 'Sec-Fetch-Site': 'cross-site' })
    const { body } = await sandbox.get('/_sandbox/requests')
    expect(body.data).toMatchObject([
      { method: 'GET', path: '/v1/transfers' },
      { method: 'POST', path: '/v1/transfers' },
    ])
  })

  test('GET deliveries and GET deliveries/{id} show the attempts with their exact bytes', async () => {
    const { sandbox, receiver, event } = await settled()
    const { body } = await sandbox.get(`/_sandbox/deliveries?eventId=${event.id}`)
    expect(body.data).toMatchObject([
      { eventId: event.id, eventType: 'transfer.settled', state: 'delivered', attempts: 1 },
    ])
    const one = (await sandbox.get(`/_sandbox/deliveries/${body.data[0].id}`)).body
    expect(one.tries).toHaveLength(1)
    expect(Buffer.from(one.tries[0].request.bodyBase64, 'base64')).toEqual(receiver.received[0]?.body)
    const sent = Object.fromEntries(one.tries[0].request.headers)
    expect(sent['Service-Signature']).toBe(receiver.received[0]?.headers['service-signature'])
    expect(one.tries[0].response.status).toBe(200)
    expect((await sandbox.get('/_sandbox/deliveries/dlv_none')).status).toBe(404)
    expect((await sandbox.get('/_sandbox/deliveries?state=lost')).status).toBe(422)
  })

  test('GET deliveries shows the result of the newest attempt of each', async () => {
    const sandbox = await startTestSandbox({ retry: [1] })
    const answers = [503, 200]
    const receiver = await startReceiver(() => answers.shift() ?? 200)
    await sandbox.subscribe({ url: receiver.url, events: ['*'] })
    const { id: refused } = await sandbox.subscribe({ url: 'http://127.0.0.1:9/', events: ['*'] })
    await sandbox.emit('evidence.exported')
    const newest = async (query: string) =>
      (await sandbox.get(`/_sandbox/deliveries?${query}`)).body.data.map((one: { last: object }) => one.last)
    await sandbox.idle()
    expect(await newest(`subscriptionId=${refused}`)).toEqual([
      {
        number: 1,
        startedAt: '2026-01-01T00:00:00.000Z',
        status: null,
        outcome: null,
        code: null,
        failure: 'refused',
        milliseconds: expect.any(Number),
        faults: [],
        edited: null,
      },
    ])
    expect(await newest('state=pending')).toMatchObject([{ failure: 'refused' }, { status: 503 }])
    await sandbox.advance({ seconds: 1 })
    expect(await newest('state=delivered')).toMatchObject([
      { number: 2, startedAt: '2026-01-01T00:00:01.000Z', status: 200, failure: null },
    ])
  })

  test('POST events emits any type, and completes the data of a known one', async () => {
    const sandbox = await startTestSandbox()
    const receiver = await startReceiver()
    await sandbox.subscribe({ url: receiver.url, events: ['*'] })
    const known = await sandbox.post('/_sandbox/events', {
      type: 'transfer.settled',
      data: { transferId: 'tr_1' },
    })
    expect(known.status).toBe(201)
    expect(known.body.data).toEqual({
      transferId: 'tr_1',
      status: 'settled',
      rail: 'mobile_money',
      ledgerState: 'matched',
    })
    const other = await sandbox.post('/_sandbox/events', { type: 'evidence.exported', data: { n: 1 } })
    await sandbox.idle()
    expect(receiver.received.map(({ event }) => event)).toEqual([known.body, other.body])
    for (const bad of [{}, { type: 'no type' }, { type: 'x', data: [] }, '[]']) {
      expect((await sandbox.post('/_sandbox/events', bad)).status).toBe(422)
    }
  })

  test.each([
    [
      'transfer.settled',
      { transferId: 'tr', status: 'settled', rail: 'mobile_money', ledgerState: 'matched' },
    ],
    [
      'transfer.failed',
      {
        transferId: 'tr',
        status: 'failed',
        rail: 'mobile_money',
        ledgerState: 'pending',
        failureCode: 'network_unavailable',
        failureReason: 'The network did not confirm the payout.',
      },
    ],
    ['approval.updated', { approvalId: 'apr', transferId: 'tr', status: 'pending' }],
    ['ledger.matched', { transferId: 'tr', ledgerState: 'matched', journalEntryId: 'je' }],
    ['evidence.exported', {}],
  ])('POST events completes the data of %s, with new identifiers', async (type, expected) => {
    const sandbox = await startTestSandbox()
    const { body } = await sandbox.post('/_sandbox/events', { type })
    const text = JSON.stringify(body.data).replace(/"([a-z]+)_[0-9A-Z]{26}"/g, '"$1"')
    expect(JSON.parse(text)).toEqual(expected)
  })

  test('POST events/{id}/replay delivers the same id and the same bytes, signed again or as before', async () => {
    const { sandbox, receiver, event } = await settled()
    const path = `/_sandbox/events/${event.id}/replay`
    const fresh = await sandbox.post(path, { times: 10, concurrent: true })
    expect(fresh.body.data).toHaveLength(10)
    expect(receiver.received).toHaveLength(11)
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1)
    expect(new Set(receiver.received.map(({ headers }) => headers['service-event-id']))).toEqual(
      new Set([event.id]),
    )
    await sandbox.post(path, { signature: 'original' })
    const [first, last] = [receiver.received[0], receiver.received.at(-1)]
    expect(last?.headers['service-signature']).toBe(first?.headers['service-signature'])
    expect((await sandbox.post('/_sandbox/events/evt_none/replay', {})).status).toBe(404)
    expect((await sandbox.post(path, { times: 101 })).status).toBe(422)
  })

  test('POST deliveries/{id}/retry makes one more attempt', async () => {
    const sandbox = await startTestSandbox({ retry: 'none' })
    const answers = [500, 200]
    const receiver = await startReceiver(() => answers.shift() ?? 200)
    await sandbox.subscribe({ url: receiver.url, events: ['*'] })
    await sandbox.emit('evidence.exported')
    await sandbox.idle()
    const [delivery] = (await sandbox.get('/_sandbox/deliveries?state=exhausted')).body.data
    const { body } = await sandbox.post(`/_sandbox/deliveries/${delivery.id}/retry`, {})
    expect([body.state, body.attempts]).toEqual(['delivered', 2])
    expect((await sandbox.post('/_sandbox/deliveries/dlv_none/retry', {})).status).toBe(404)
  })

  test('GET and POST clock move a virtual clock, and retries fall due on the way', async () => {
    const sandbox = await startTestSandbox({ retry: 'standard' })
    const receiver = await startReceiver(() => 500)
    await sandbox.subscribe({ url: receiver.url, events: ['*'] })
    await sandbox.emit('evidence.exported')
    await sandbox.idle()
    const { body } = await sandbox.post('/_sandbox/clock', { advanceSeconds: 4 * 24 * 3600 })
    expect(body).toEqual({ kind: 'virtual', now: '2026-01-05T00:00:00.000Z' })
    expect(receiver.received).toHaveLength(10)
    expect((await sandbox.get('/_sandbox/clock')).body).toEqual(body)
    for (const advanceSeconds of [-1, 1e12, '1', null]) {
      expect((await sandbox.post('/_sandbox/clock', { advanceSeconds })).status).toBe(422)
    }
  })

  test('GET and PUT chaos make deliveries go wrong', async () => {
    const sandbox = await startTestSandbox()
    const receiver = await startReceiver()
    await sandbox.subscribe({ url: receiver.url, events: ['*'] })
    expect((await sandbox.get('/_sandbox/chaos')).body).toMatchObject({ all: {} })
    const put = await sandbox.request('PUT', '/_sandbox/chaos', { all: { drop: { probability: 1 } } })
    expect(put.status).toBe(200)
    await sandbox.emit('evidence.exported')
    await sandbox.idle()
    expect(receiver.received).toEqual([])
    expect(
      (await sandbox.request('PUT', '/_sandbox/chaos', { all: { drop: { probability: 2 } } })).status,
    ).toBe(422)
  })

  test('POST reset goes back to the seeds and the subscriptions made at the start', async () => {
    const receiver = await startReceiver()
    const sandbox = await startTestSandbox({ forwardTo: [receiver.url] })
    const before = (await sandbox.get('/_sandbox/config')).body.subscriptions
    await sandbox.subscribe({ url: 'http://127.0.0.1:9/', events: ['*'] })
    await sandbox.post('/v1/transfers', shapeA('sim_settle'), { 'Idempotency-Key': 'k' })
    await sandbox.request('PUT', '/_sandbox/chaos', { all: { drop: { probability: 1 } } })
    expect((await sandbox.post('/_sandbox/reset', {})).status).toBe(204)
    const after = (await sandbox.get('/_sandbox/config')).body.subscriptions
    expect(after).toHaveLength(1)
    expect([after[0].url, after[0].secret]).toEqual([receiver.url, before[0].secret])
    for (const list of ['transfers', 'events', 'approvals']) {
      expect((await sandbox.get(`/v1/${list}`)).body.data).toEqual([])
    }
    const requests = (await sandbox.get('/_sandbox/requests')).body.data
    expect(requests.filter(({ method }: { method: string }) => method === 'POST')).toEqual([])
    expect((await sandbox.get('/_sandbox/chaos')).body).toEqual({ seed: 1, all: {}, subscriptions: {} })
    const { body } = await sandbox.get('/v1/wallets/wallet_kes_ada/balance')
    expect(body).toEqual({ available: '1000000.00', pending: '0.00' })
    const again = await sandbox.post('/v1/transfers', shapeA('sim_settle'), { 'Idempotency-Key': 'k' })
    expect(again.headers.get('idempotency-replayed')).toBeNull()
    await sandbox.advance({ seconds: 1 })
    await sandbox.idle()
    expect(receiver.types().sort()).toEqual(['ledger.matched', 'transfer.settled'])
  })
})

test('GET attempts summarizes every attempt of the last seconds, by the clock of the sandbox', async () => {
  const sandbox = await startTestSandbox({ retry: [5, 60], forwardTo: ['http://127.0.0.1:9/nobody'] })
  await sandbox.request('PUT', '/_sandbox/chaos', { all: { latency: { probability: 1, seconds: 0 } } })
  await sandbox.emit('transfer.settled')
  await sandbox.advance({ seconds: 70 })
  const { body } = await sandbox.get('/_sandbox/deliveries')
  const deliveryId = body.data[0].id
  const summary = { deliveryId, failure: 'refused', status: null, faults: ['latency'] }
  expect((await sandbox.get('/_sandbox/attempts')).body.data).toMatchObject([
    { ...summary, number: 1, startedAt: '2026-01-01T00:00:00.000Z' },
    { ...summary, number: 2, startedAt: '2026-01-01T00:00:05.000Z' },
    { ...summary, number: 3, startedAt: '2026-01-01T00:01:05.000Z' },
  ])
  const recent = await sandbox.get('/_sandbox/attempts?seconds=10')
  expect(recent.body.data).toMatchObject([{ deliveryId, number: 3 }])
  expect((await sandbox.get('/_sandbox/attempts?seconds=none')).status).toBe(422)
})
