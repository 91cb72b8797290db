import { expect, test } from 'vitest'
import { duplicateKeys } from '../../src/api/duplicate-keys.js'
import { shapeA, startTestSandbox } from '../rig.js'

const subscription = (...events: string[]) => ({ url: 'http://127.0.0.1:9/', events })

test('a subscription to a type that the interface does not name is accepted with a warning', async () => {
  const sandbox = await startTestSandbox()
  const path = '/webhook-subscriptions'
  const wrong = await sandbox.post(path, subscription('transfer.setled', 'wallet.*', 'transfer.*'))
  expect([wrong.status, wrong.headers.get('sandbox-warning')]).toEqual([
    201,
    'the interface names no event type that transfer.setled matches; the interface names no event type that wallet.* matches',
  ])
  for (const event of ['*', 'transfer.*', 'transfer.settled', 'ledger.matched']) {
    const { status, headers } = await sandbox.post(path, subscription(event))
    expect([event, status, headers.get('sandbox-warning')]).toEqual([event, 201, null])
  }
})

test('a repeated POST repeats the warning', async () => {
  const sandbox = await startTestSandbox()
  const send = () =>
    sandbox.post('/webhook-subscriptions', subscription('wallet.*'), { 'Idempotency-Key': 'k' })
  const [first, second] = [await send(), await send()]
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect(second.headers.get('sandbox-warning')).toBe(first.headers.get('sandbox-warning'))
  expect(first.headers.get('sandbox-warning')).toContain('wallet.*')
})

test('for a duplicate key the last value wins, with a warning', async () => {
  const sandbox = await startTestSandbox()
  const text = JSON.stringify(shapeA()).replace('{', '{"currency":"USD",')
  const { status, body, headers } = await sandbox.post('/v1/transfers', text)
  expect([status, body.currency]).toEqual([201, 'KES'])
  expect(headers.get('sandbox-warning')).toBe('the key "currency" is there twice, the last value counts')
})

test.each([
  ['{"a":1,"a":2}', ['a']],
  ['{"a":{"a":1},"b":[{"a":1},{"a":2}]}', []],
  ['[{"x":{"y":1,"z":"y","y":[]}}]', ['y']],
  ['{"a":1,"\\u0061":2,"a":3}', ['a']],
  ['{"a\\"b":":","c":"\\\\","a\\"b":"{"}', ['a"b']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['"a"', []],
])('the duplicate keys of %s are %j', (text, keys) => {
  expect(duplicateKeys(text)).toEqual(keys)
})

test('a text of many megabytes of keys takes a moment, not minutes', () => {
  const text = `{${Array.from({ length: 200_000 }, (_, index) => `"${'\\u0061'.repeat(3)}${index}":[{}]`).join(',')}}`
  expect(duplicateKeys(text)).toEqual([])
}, 20_000)
