import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/api/canonical-json.js'
import { snakeCaseKeys } from '../../src/snake-case.js'
import { shapeA, startTestSandbox } from '../rig.js'

const wallet = { owner: 'cus_ada', currency: 'KES' }
const key = (value: string) => ({ 'Idempotency-Key': value })
const cursor = (text: string) => Buffer.from(text).toString('base64url')

describe('a credential', () => {
  test.each([
    ['Bearer sk_sandbox_local', 200],
    ['Bearer    sk_sandbox_local', 200],
    ['xBearer sk_sandbox_local', 401],
    ['Bearer sk_sandbox_local x', 401],
    ['Bearersk_sandbox_local', 401],
    ['Bearer\tsk_sandbox_local', 401],
  ])('%j is answered with %i', async (authorization, status) => {
    const sandbox = await startTestSandbox()
    const headers = { Authorization: authorization }
    expect((await sandbox.request('GET', '/v1/wallets', undefined, headers)).status).toBe(status)
  })

  test('that may only read may also ask for the head of a view', async () => {
    const sandbox = await startTestSandbox()
    const headers = { Authorization: 'Bearer sk_sandbox_readonly' }
    expect((await sandbox.request('HEAD', '/v1/wallets', undefined, headers)).status).toBe(200)
  })

  test('that is missing is told how to send one', async () => {
    const sandbox = await startTestSandbox()
    const response = await fetch(`${sandbox.url}/v1/wallets`)
    expect(await response.json()).toMatchObject({
      title: 'No valid credential',
      detail: 'The Authorization header is missing. Send "Authorization: Bearer <key>".',
    })
    expect(response.headers.get('sandbox-assumption')).toBe('I19')
  })
})

describe('an Idempotency-Key', () => {
  test('of another request keeps the stored response of this one', async () => {
    const sandbox = await startTestSandbox()
    const first = await sandbox.post('/v1/wallets', wallet, key('a'))
    await sandbox.post('/v1/wallets', wallet, key('b'))
    const again = await sandbox.post('/v1/wallets', wallet, key('a'))
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true'])
  })

  test('is forgotten after exactly 24 hours', async () => {
    const sandbox = await startTestSandbox()
    const first = await sandbox.post('/v1/wallets', wallet, key('a'))
    await sandbox.advance({ hours: 23, minutes: 59, seconds: 59.999 })
    expect((await sandbox.post('/v1/wallets', wallet, key('a'))).body.id).toBe(first.body.id)
    await sandbox.advance({ seconds: 0.001 })
    expect((await sandbox.post('/v1/wallets', wallet, key('a'))).body.id).not.toBe(first.body.id)
  })

  test('repeats the methods of a 405, and no header of another kind', async () => {
    const sandbox = await startTestSandbox()
    const send = () => sandbox.post('/v1/events', {}, key('a'))
    const [first, second] = [await send(), await send()]
    expect([first.status, second.status, second.headers.get('allow')]).toEqual([405, 405, 'GET'])
    expect(second.headers.get('request-id')).not.toBe(first.headers.get('request-id'))
  })

  test('of a reading request is ignored', async () => {
    const sandbox = await startTestSandbox()
    const read = (path: string) => sandbox.request('GET', path, undefined, key('a b'))
    expect((await read('/v1/wallets')).status).toBe(200)
    expect((await read('/v1/transfers')).headers.get('idempotency-replayed')).toBeNull()
  })

  test.each([
    ['{"b":1,"a":2}', '{"a":2,"b":1}'],
    ['{"a":{"d":null,"c":[3,1,{"y":1,"x":2}]}}', '{"a":{"c":[3,1,{"x":2,"y":1}],"d":null}}'],
    ['[2,1]', '[2,1]'],
    ['null', 'null'],
    ['"a"', '"a"'],
  ])('compares %s as %s', (text, canonical) => {
    expect(canonicalJson(JSON.parse(text))).toBe(canonical)
  })
})

describe('a cursor', () => {
  test.each([
    ['before:1', 200],
    [`before:${'9'.repeat(15)}`, 200],
    [`before:${'9'.repeat(16)}`, 422],
    ['xbefore:1', 422],
    ['before:1x', 422],
    ['before:', 422],
    ['before:-1', 422],
  ])('that stands for %s is answered with %i', async (text, status) => {
    const sandbox = await startTestSandbox()
    expect((await sandbox.get(`/v1/wallets?cursor=${cursor(text)}`)).status).toBe(status)
  })

  test('names the last record of its page', async () => {
    const sandbox = await startTestSandbox()
    const first = (await sandbox.get('/v1/wallets?limit=4')).body
    expect([first.data.length, first.hasMore]).toEqual([4, true])
    const second = (await sandbox.get(`/v1/wallets?limit=2&cursor=${first.nextCursor}`)).body
    expect([second.data.length, second.hasMore, second.nextCursor]).toEqual([2, false, null])
  })
})

describe('a path', () => {
  test.each(['/v1/wallets/', '/v1/transfers/', '/webhook-subscriptions/'])('%s is 404', async (path) => {
    const sandbox = await startTestSandbox()
    const { status, headers } = await sandbox.request('PATCH', path)
    expect([status, headers.get('allow')]).toEqual([404, null])
  })

  test.each(['/v1wallets', '/v10/wallets', '/webhook-subscriptionsx', '/x/v1/wallets'])(
    '%s is none of the service, so it needs no credential and is not logged',
    async (path) => {
      const sandbox = await startTestSandbox()
      expect((await fetch(`${sandbox.url}${path}`)).status).toBe(404)
      expect((await sandbox.get('/_sandbox/requests')).body.data).toEqual([])
    },
  )

  test.each(['/v1', '/webhook-subscriptions', '/webhook-subscriptions/x'])('%s is logged', async (path) => {
    const sandbox = await startTestSandbox()
    await sandbox.get(path)
    expect((await sandbox.get('/_sandbox/requests')).body.data).toMatchObject([{ path }])
  })
})

test('a rate limit is told, and holds for each key', async () => {
  const sandbox = await startTestSandbox({ requestsPerSecond: 1 })
  const readonly = { Authorization: 'Bearer sk_sandbox_readonly' }
  const answers = await Promise.all([
    sandbox.get('/v1/wallets'),
    sandbox.get('/v1/wallets'),
    sandbox.request('GET', '/v1/wallets', undefined, readonly),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429])
  const limited = answers.find(({ status }) => status === 429)
  expect(limited?.body).toMatchObject({
    title: 'Too many requests',
    detail: 'This key may make 1 requests a second.',
  })
  expect(limited?.headers.get('sandbox-assumption')).toBe('G28')
  // Rejected requests do not count.
  await expect.poll(async () => (await sandbox.get('/v1/wallets')).status, { timeout: 10_000 }).toBe(200)
})

test('a response without a body has no case of keys', async () => {
  const sandbox = await startTestSandbox({ responseCase: 'snake' })
  const { id } = await sandbox.subscribe({ url: 'http://127.0.0.1:9/', events: ['*'] })
  const { status, body, headers } = await sandbox.request('DELETE', `/v1/webhook-subscriptions/${id}`)
  expect([status, body, headers.get('sandbox-assumption')]).toEqual([204, undefined, 'G13, G14'])
})

test.each([
  [
    { aB: 1, aBC: 2, ab1C: 3 },
    { a_b: 1, a_b_c: 2, ab1_c: 3 },
  ],
  [
    { ABc: 1, 'a-B': 2, a_B: 3, 'aB ': 4, '1aB': 5, a: 6 },
    { ABc: 1, 'a-B': 2, a_B: 3, 'aB ': 4, '1aB': 5, a: 6 },
  ],
  [
    { metadata: { aB: 1 }, other: { aB: [{ cD: null }] } },
    { metadata: { aB: 1 }, other: { a_b: [{ c_d: null }] } },
  ],
  ['aB', 'aB'],
  [null, null],
  [7, 7],
])('%j in snake_case is %j', (value, snake) => {
  expect(snakeCaseKeys(value)).toEqual(snake)
})

test('a request is logged with what it was about and how long it took', async () => {
  const sandbox = await startTestSandbox()
  const before = performance.now()
  const { body: transfer, headers } = await sandbox.post('/v1/transfers', shapeA())
  const passed = performance.now() - before
  const { body: made } = await sandbox.post('/v1/wallets', wallet)
  const subscribed = await sandbox.post('/webhook-subscriptions', {
    url: 'http://127.0.0.1:9/',
    events: ['*'],
  })
  const { body } = await sandbox.get('/_sandbox/requests')
  const [third, second, first] = body.data
  expect(first).toEqual({
    id: headers.get('request-id'),
    method: 'POST',
    path: '/v1/transfers',
    status: 201,
    subject: `${transfer.id}  sim_settle`,
    isReplayed: false,
    code: null,
    milliseconds: expect.any(Number),
    at: expect.stringMatching(/^20.*Z$/),
  })
  expect(first.milliseconds).toBeGreaterThan(0)
  expect(first.milliseconds).toBeLessThan(passed + 1)
  expect(second.subject).toBe(made.id)
  expect(third.subject).toBe(`${subscribed.body.id}  http://127.0.0.1:9/`)
})
