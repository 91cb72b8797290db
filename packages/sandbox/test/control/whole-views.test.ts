import { expect, test, vi } from 'vitest'
import { resolveOptions } from '../../src/options/resolve.js'
import { shapeA, startReceiver, startTestSandbox } from '../rig.js'

const start = '2026-01-01T00:00:00.000Z'

test('GET config shows every option except the secret, and each subscription with its own', async () => {
  const { secret: _, retrySeconds, ...options } = resolveOptions()
  const sandbox = await startTestSandbox({ secret: 'whsec_mine', seed: 3, host: 'localhost' })
  const { id } = await sandbox.subscribe({ url: 'http://127.0.0.1:9/', events: ['*'] })
  expect((await sandbox.get('/_sandbox/config')).body).toEqual({
    ...options,
    host: 'localhost',
    port: 0,
    seed: 3,
    clock: 'virtual',
    retrySeconds,
    scheme: null,
    requestsPerSecond: null,
    subscriptions: [
      {
        id,
        url: 'http://127.0.0.1:9/',
        events: ['*'],
        envelope: 'camelCase',
        status: 'enabled',
        createdAt: start,
        secret: 'whsec_mine',
      },
    ],
  })
  const other = await startTestSandbox({ scheme: { key: 'hex' }, requestsPerSecond: 9 })
  expect((await other.get('/_sandbox/config')).body).toMatchObject({
    scheme: { key: 'hex' },
    requestsPerSecond: 9,
  })
})

test('GET seeds shows the customers, the wallets with what they begin with, and the rails', async () => {
  const sandbox = await startTestSandbox({ seed: 4, product: 'stablecoins' })
  const { body } = await sandbox.get('/_sandbox/seeds')
  const wallet = (currency: string, name: string) => ({
    id: `wallet_${currency.toLowerCase()}_${name}`,
    owner: `cus_${name}`,
    currency,
    opening: '1000000.00',
  })
  const names = ['ada', 'ben', 'chi']
  expect(body).toEqual({
    seed: 4,
    customers: ['cus_ada', 'cus_ben', 'cus_chi'],
    wallets: names.flatMap((name) => [wallet('KES', name), wallet('USD', name)]),
    rails: expect.any(Array),
    networks: body.rails,
  })
  expect(body.rails.slice(0, 3)).toEqual([
    { id: 'payout_network', summary: 'Settles.' },
    { id: 'digital_asset', summary: 'Settles.' },
    { id: 'sim_settle', summary: 'Settles.' },
  ])
})

test('GET ledger shows that each currency adds up to zero', async () => {
  const sandbox = await startTestSandbox()
  await sandbox.post('/v1/transfers', shapeA())
  await sandbox.advance({ seconds: 1 })
  expect((await sandbox.get('/_sandbox/ledger')).body).toEqual({
    data: [
      { currency: 'KES', lines: 8, sum: '0.00' },
      { currency: 'USD', lines: 6, sum: '0.00' },
    ],
  })
})

test('GET chaos and GET clock show what was set', async () => {
  const sandbox = await startTestSandbox()
  const all = { latency: { probability: 0.5, seconds: 1 }, drop: { probability: 0 } }
  const { body: put } = await sandbox.request('PUT', '/_sandbox/chaos', { seed: 5, all })
  const chaos = { seed: 5, all: { ...all, latency: { ...all.latency, randomSeconds: 0 } }, subscriptions: {} }
  expect([put, (await sandbox.get('/_sandbox/chaos')).body]).toEqual([chaos, chaos])
  expect((await sandbox.get('/_sandbox/clock')).body).toEqual({ kind: 'virtual', now: start })
  const moved = await sandbox.post('/_sandbox/clock', { advanceSeconds: 1.5 })
  expect(moved.body).toEqual({ kind: 'virtual', now: '2026-01-01T00:00:01.500Z' })
  const real = await startTestSandbox({ clock: 'real' })
  expect((await real.get('/_sandbox/clock')).body.kind).toBe('real')
})

test('GET events and GET deliveries come page by page, and by their conditions', async () => {
  const sandbox = await startTestSandbox()
  const receiver = await startReceiver(({ event }) => (event.type === 'evidence.refused' ? 410 : 200))
  const { id: first } = await sandbox.subscribe({ url: receiver.url, events: ['evidence.exported'] })
  const { id: second } = await sandbox.subscribe({ url: receiver.url, events: ['evidence.refused'] })
  const exported = await sandbox.emit('evidence.exported')
  const refused = await sandbox.emit('evidence.refused')
  await sandbox.idle()
  const page = (await sandbox.get('/_sandbox/events?limit=1')).body
  expect(page).toEqual({ data: [refused], hasMore: true, nextCursor: expect.any(String) })
  const rest = (await sandbox.get(`/_sandbox/events?limit=1&cursor=${page.nextCursor}`)).body
  expect(rest).toEqual({ data: [exported], hasMore: false, nextCursor: null })
  const listed = async (query: string) =>
    (await sandbox.get(`/_sandbox/deliveries?${query}`)).body.data.map(
      ({ eventType }: { eventType: string }) => eventType,
    )
  expect(await listed('')).toEqual(['evidence.refused', 'evidence.exported'])
  expect(await listed(`subscriptionId=${first}`)).toEqual(['evidence.exported'])
  expect(await listed(`subscriptionId=${second}&state=delivered`)).toEqual([])
  expect(await listed(`eventId=${refused.id}`)).toEqual(['evidence.refused'])
  expect(await listed('state=delivered')).toEqual(['evidence.exported'])
  expect(await listed('state=exhausted')).toEqual(['evidence.refused'])
  const { body } = await sandbox.get('/_sandbox/deliveries?state=lost')
  expect(body.detail).toBe('state must be one of pending, delivered, exhausted, canceled.')
})

test('an attempt at a receiver of webhook-inbox shows its outcome and its code', async () => {
  const sandbox = await startTestSandbox({ retry: 'none', clock: 'virtual' })
  const answers = ['{"outcome":"rejected","code":"event_id_conflict"}', '{"outcome":"processed"}']
  const { createServer } = await import('node:http')
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(answers.shift()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await sandbox.subscribe({ url: `http://127.0.0.1:${port}/`, events: ['*'] })
  const found = []
  for (const type of ['evidence.first', 'evidence.second']) {
    await sandbox.emit(type)
    found.push(await sandbox.waitForDelivery({ type }))
  }
  server.close()
  server.closeAllConnections()
  expect(found).toMatchObject([
    { last: { outcome: 'rejected', code: 'event_id_conflict' }, attempt: { code: 'event_id_conflict' } },
    { last: { outcome: 'processed', code: null }, attempt: { outcome: 'processed', code: null } },
  ])
  expect((await sandbox.get('/_sandbox/attempts')).body.data).toMatchObject([
    { outcome: 'rejected', code: 'event_id_conflict', status: 200 },
    { outcome: 'processed', code: null },
  ])
})

test.each<[path: string, body: unknown, detail: string]>([
  ['events', { type: 'a b' }, 'type must be an event type such as transfer.settled.'],
  ['events', { type: '.a' }, 'type must be an event type such as transfer.settled.'],
  ['events', { type: 'a.' }, 'type must be an event type such as transfer.settled.'],
  ['events', { type: 'x'.repeat(256) }, 'type: Too big: expected string to have <=255 characters.'],
  ['clock', { advanceSeconds: 315_360_001 }, 'advanceSeconds: Too big: expected number to be <=315360000.'],
  ['clock', {}, 'advanceSeconds: Invalid input: expected number, received undefined.'],
  ['clock', { advanceSeconds: 1, now: 1 }, 'now is not a field of this request.'],
  [
    'transfers/tr_1/simulate',
    { to: 'done' },
    'to must be one of pending, pending_approval, processing, settled, failed, rejected.',
  ],
  ['approvals/apr_1/decide', { decision: 'maybe' }, 'decision must be approved or rejected.'],
  ['approvals/apr_1/decide', { decision: 'approved' }, 'There is no approval apr_1.'],
  ['transfers/tr_1/simulate', { to: 'settled' }, 'There is no transfer tr_1.'],
  [
    'deliveries/dlv_1/send',
    { body: '', signature: 'some' },
    'signature must be one of fresh, original, wrong, none.',
  ],
])('POST %s with %j is told what to correct', async (path, body, detail) => {
  const sandbox = await startTestSandbox()
  expect((await sandbox.post(`/_sandbox/${path}`, body)).body.detail).toBe(detail)
})

test('POST clock takes ten years, and no body counts as an empty one', async () => {
  const sandbox = await startTestSandbox()
  expect((await sandbox.post('/_sandbox/clock', { advanceSeconds: 315_360_000 })).body.now).toBe(
    '2035-12-30T00:00:00.000Z',
  )
  expect((await sandbox.request('POST', '/_sandbox/reset')).status).toBe(204)
  const event = await sandbox.emit('evidence.exported')
  await sandbox.subscribe({ url: 'http://127.0.0.1:9/', events: ['*'] })
  const replayed = await sandbox.request('POST', `/_sandbox/events/${event.id}/replay`)
  expect([replayed.status, replayed.body.data.length]).toEqual([200, 1])
})

test('POST reset keeps the clock and the count of starts, and reports itself', async () => {
  const sandbox = await startTestSandbox()
  await sandbox.advance({ days: 1, hours: 2, minutes: 3, seconds: 4 })
  const leaving = new AbortController()
  const response = await fetch(`${sandbox.url}/_sandbox/stream`, { signal: leaving.signal })
  let text = ''
  const reading = (async () => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString()
    }
  })().catch(() => {})
  await sandbox.post('/_sandbox/reset', {})
  await sandbox.request('PUT', '/_sandbox/chaos', { seed: 2 })
  await vi.waitFor(() => expect(text).toContain('event: chaos'), 10_000)
  leaving.abort()
  await reading
  expect(text).toContain('event: reset\ndata: {}')
  expect(text).toContain('event: chaos\ndata: {"seed":2,"all":{},"subscriptions":{}}')
  expect((await sandbox.get('/_sandbox/clock')).body.now).toBe('2026-01-02T02:03:04.000Z')
})
