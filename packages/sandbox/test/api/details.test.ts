import { expect, test } from 'vitest'
import type { SandboxOptions } from '../../src/index.js'
import { shapeA, shapeB, startTestSandbox } from '../rig.js'

interface Rejected {
  readonly request: readonly [method: string, path: string, body?: unknown, headers?: Record<string, string>]
  /** The status, the code, the field if there is one, and the gap on which the response depends. */
  readonly problem: string
  readonly detail: string
}

const wallets = '/v1/wallets'
const transfers = '/v1/transfers'
const subscriptions = '/v1/webhook-subscriptions'
const subscription = (changes: object = {}) => ({ url: 'http://127.0.0.1:9/', events: ['*'], ...changes })
const key = { 'Idempotency-Key': 'key' }

const rejected: readonly Rejected[] = [
  {
    request: ['GET', wallets, undefined, { Authorization: 'Basic x' }],
    problem: '401 unauthorized - I19',
    detail: 'The Authorization header has no valid bearer key.',
  },
  {
    request: ['POST', wallets, {}, { Authorization: 'Bearer sk_sandbox_readonly' }],
    problem: '403 forbidden - G17',
    detail: 'This key may only read.',
  },
  {
    request: ['POST', wallets, '{}', { 'Content-Type': 'text/plain' }],
    problem: '415 unsupported_media_type - G24',
    detail: 'Send the body with "Content-Type: application/json".',
  },
  {
    request: ['POST', wallets, '{}', { 'Content-Encoding': 'gzip' }],
    problem: '415 unsupported_media_type - G24',
    detail: 'Send the body without a Content-Encoding.',
  },
  {
    request: ['POST', wallets, '{'],
    problem: '400 malformed_request - G24',
    detail: 'The body is not valid JSON in UTF-8 of at most 64 levels.',
  },
  {
    request: ['POST', wallets, '7'],
    problem: '422 invalid_request - G24',
    detail: 'The body: Invalid input: expected object, received number.',
  },
  {
    request: ['POST', wallets, {}, { 'Idempotency-Key': 'a b' }],
    problem: '400 malformed_request Idempotency-Key G29',
    detail: 'The Idempotency-Key must have 1 to 255 visible ASCII characters.',
  },
  {
    request: ['POST', wallets, { owner: 'cus_other', currency: 'KES' }, key],
    problem: '422 idempotency_key_reused Idempotency-Key G25',
    detail: 'This Idempotency-Key was used with another body. Use a new key for a new request.',
  },
  {
    request: ['GET', '/v1/nowhere'],
    problem: '404 not_found - G24',
    detail: 'There is no /v1/nowhere here.',
  },
  {
    request: ['DELETE', wallets],
    problem: '405 method_not_allowed - G24',
    detail: '/v1/wallets supports GET, POST.',
  },
  {
    request: ['GET', '/v1/treasury/x'],
    problem: '501 not_implemented - G6',
    detail: 'The interface names treasury, but publishes no path and no field (gap G6).',
  },
  {
    request: ['GET', `${wallets}?cursor=x`],
    problem: '422 invalid_request cursor G15',
    detail: 'cursor must be the nextCursor of another page.',
  },
  ...[
    [`${wallets}/w`, 'wallet w'],
    [`${wallets}/w/balance`, 'wallet w'],
    [`${transfers}/t`, 'transfer t'],
    [`${subscriptions}/s`, 'subscription s'],
    ['/v1/approvals/a', 'approval a'],
    ['/v1/events/e', 'event e'],
    ['/_sandbox/deliveries/d', 'delivery d'],
  ].map(
    ([path = '', what]): Rejected => ({
      request: ['GET', path],
      problem: '404 not_found - G24',
      detail: `There is no ${what}.`,
    }),
  ),
  {
    request: ['DELETE', `${subscriptions}/s`],
    problem: '404 not_found - G24',
    detail: 'There is no subscription s.',
  },
  {
    request: ['POST', subscriptions, subscription({ url: 'https://10.0.0.1/' })],
    problem: '422 invalid_request url I20',
    detail: 'url 10.0.0.1 is not on this machine; start with --allow-remote.',
  },
  {
    request: ['POST', subscriptions, subscription({ url: `http://127.0.0.1/${'x'.repeat(2048)}` })],
    problem: '422 invalid_request url G24',
    detail: 'url must have at most 2048 characters.',
  },
  {
    request: ['POST', transfers, shapeB('sim_nowhere')],
    problem: '422 unknown_rail rail G24',
    detail: 'The product mobile_money has no rail sim_nowhere. GET /_sandbox/seeds lists them.',
  },
  {
    request: ['POST', transfers, shapeA('sim_nowhere')],
    problem: '422 unknown_network destination.network G24',
    detail: 'The product mobile_money has no network sim_nowhere. GET /_sandbox/seeds lists them.',
  },
  {
    request: ['POST', transfers, shapeA('x', { destination: { type: 'pigeon', network: 'post' } })],
    problem: '422 unknown_destination_type destination.type G24',
    detail: 'The sandbox knows the destination type mobile_money alone.',
  },
  {
    request: ['POST', transfers, shapeB('sim_settle', { destination: 'wallet_kes_ada' })],
    problem: '422 same_wallet destination G24',
    detail: 'The destination is the source.',
  },
  {
    request: ['POST', transfers, shapeB('sim_settle', { destination: 'wallet_kes_dan' })],
    problem: '422 wallet_not_found destination G24',
    detail: 'There is no wallet wallet_kes_dan.',
  },
  {
    request: ['POST', transfers, shapeB('sim_settle', { source: 'wallet_kes_dan' })],
    problem: '422 wallet_not_found source G24',
    detail: 'There is no wallet wallet_kes_dan.',
  },
  {
    request: ['POST', transfers, shapeB('sim_settle', { currency: 'USD' })],
    problem: '422 currency_mismatch currency G24',
    detail: 'The wallet wallet_kes_ada is in KES.',
  },
  {
    request: ['POST', transfers, shapeB('sim_settle', { amount: 1_000_000.01 })],
    problem: '422 insufficient_funds amount G24',
    detail: 'The wallet has 1000000.00 KES available.',
  },
  {
    request: ['POST', '/_sandbox/events/evt_1/replay', {}],
    problem: '404 not_found - G24',
    detail: 'there is no event evt_1.',
  },
  {
    request: ['POST', '/_sandbox/events/evt_1/replay', { times: 101 }],
    problem: '422 invalid_request times G24',
    detail: 'times: Too big: expected number to be <=100.',
  },
  {
    request: ['POST', '/_sandbox/deliveries/dlv_1/retry', {}],
    problem: '404 not_found - G24',
    detail: 'there is no delivery dlv_1.',
  },
  {
    request: ['POST', '/_sandbox/deliveries/dlv_1/send', { body: '' }],
    problem: '404 not_found - G24',
    detail: 'there is no delivery dlv_1.',
  },
  {
    request: ['PUT', '/_sandbox/chaos', '{'],
    problem: '400 malformed_request - G24',
    detail: 'The body is not valid JSON.',
  },
  {
    request: ['POST', '/_sandbox/reset', {}, { 'Service-Signature': 't=1' }],
    problem: '403 foreign_origin - G24',
    detail: 'A delivery is no request to the control plane.',
  },
  {
    request: ['GET', '/_inspector/nothing.js'],
    problem: '404 not_found - G24',
    detail: 'The inspector has no nothing.js.',
  },
]

test('each rejection says which field is wrong and what to correct', async () => {
  const sandbox = await startTestSandbox()
  await sandbox.post(wallets, { owner: 'cus_ada', currency: 'KES' }, key)
  const given = []
  for (const { request } of rejected) {
    const { status, headers, body } = await sandbox.request(...request)
    const problem = [status, body.code, body.param ?? '-', headers.get('sandbox-assumption')].join(' ')
    expect(body.title).toMatch(/^[A-Z].{5,}/)
    given.push({ request, problem, detail: body.detail })
  }
  expect(given).toEqual(rejected)
})

test('a body that is too large is told the limit', async () => {
  const sandbox = await startTestSandbox()
  const { status, headers, body } = await sandbox.post(wallets, ' '.repeat(262_145))
  expect([status, body.code, headers.get('sandbox-assumption')]).toEqual([413, 'body_too_large', 'G29'])
  expect(body.detail).toBe('The body may have at most 262144 bytes.')
})

test.each<[SandboxOptions, object, string]>([
  [{ shape: 'a' }, shapeB(), '422 destination G3: destination must be an object (shape A).'],
  [{ shape: 'b' }, shapeA(), '422 destination G3: destination must be the id of a wallet (shape B).'],
  [
    { shapeBUnit: 'minor' },
    shapeB('sim_settle', { amount: 1.5 }),
    '422 amount I12: amount must be a whole number of minor units.',
  ],
])('with %j so does a rejected transfer', async (options, body, expected) => {
  const sandbox = await startTestSandbox(options)
  const answer = await sandbox.post(transfers, body)
  const { param, detail } = answer.body
  const gap = answer.headers.get('sandbox-assumption')
  expect(`${answer.status} ${param} ${gap}: ${detail}`).toBe(expected)
})

test('a transition that the transfer does not have, and a decision that was made, are named', async () => {
  const sandbox = await startTestSandbox()
  const { body: settling } = await sandbox.post(transfers, shapeA())
  const { body: asking } = await sandbox.post(transfers, shapeA('sim_approval'))
  await sandbox.advance({ seconds: 10 })
  const simulate = (to: string) => sandbox.post(`/_sandbox/transfers/${settling.id}/simulate`, { to })
  expect((await simulate('failed')).body).toMatchObject({
    status: 409,
    code: 'impossible_transition',
    param: 'to',
    detail: `The transfer ${settling.id} cannot go from settled to failed.`,
  })
  expect((await simulate('pending')).body).toMatchObject({
    status: 409,
    detail: 'No transfer goes back to pending.',
    param: 'to',
  })
  const [approval] = (await sandbox.get('/v1/approvals')).body.data
  expect(approval.transferId).toBe(asking.id)
  const decide = () => sandbox.post(`/_sandbox/approvals/${approval.id}/decide`, { decision: 'approved' })
  expect((await decide()).status).toBe(200)
  expect((await decide()).body).toMatchObject({
    status: 409,
    code: 'approval_decided',
    detail: `The approval ${approval.id} was approved before.`,
  })
})

test('a replay without a subscription for it, and one of an event that was never sent, are named', async () => {
  const sandbox = await startTestSandbox()
  const { id } = await sandbox.emit('evidence.exported')
  const replay = (body: object) => sandbox.post(`/_sandbox/events/${id}/replay`, body)
  expect((await replay({})).body).toMatchObject({
    status: 409,
    code: 'not_deliverable',
    detail: 'no enabled subscription wants evidence.exported.',
  })
  await sandbox.subscribe(subscription())
  expect((await replay({ signature: 'original' })).body).toMatchObject({
    status: 409,
    detail: `${id} was not sent yet, so it has no original signature.`,
  })
})
