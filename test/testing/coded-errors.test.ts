import { expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { deliveryOf, fixture, manualClock, shuffle, tamper, testSender } from '../../src/testing/index.js'
import { describeOdd, describeUnreadable, odd, type Row } from '../receiver/odd-arguments.js'

const receiver = createReceiver({
  secret: 'whsec_test_secret',
  logger: false,
  store: memoryStore(),
  fallback: () => {},
})
const delivery = await fixture('transfer.settled')

const lists = odd.map(([name]) => name).filter((name) => name.startsWith('a list'))
const texts = ['a text with a zero', 'megabytes']
const rows: readonly Row[] = [
  ['testSender', (value) => testSender(value)],
  ['testSender, receiver', (value) => testSender({ receiver: value })],
  ['testSender, url', (url) => testSender({ url })],
  ['deliver', (value) => testSender({ receiver }).deliver(value)],
  ['redeliver', (value) => testSender({ receiver }).redeliver(value)],
  ['concurrent', (value) => testSender({ receiver }).concurrent(value, 'transfer.settled')],
  ['fixture', (value) => fixture(value), 'megabytes', 'a text with a zero'],
  ['fixture, options', (value) => fixture('transfer.settled', value)],
  ['fixture, now', (now) => fixture('transfer.settled', { now })],
  ['fixture, createdAt', (createdAt) => fixture('transfer.settled', { createdAt })],
  ['fixture, ageSeconds', (ageSeconds) => fixture('transfer.settled', { ageSeconds })],
  ['fixture, representation', (representation) => fixture('transfer.settled', { representation })],
  ['deliveryOf', (value) => deliveryOf('', value)],
  ['shuffle', (value) => shuffle([1, 2], value)],
  ['reorder', (value) => testSender({ receiver }).reorder(value), 'a list'],
  ['reorder, delivery', (value) => testSender({ receiver }).reorder([value])],
  ['reorder, options', (value) => testSender({ receiver }).reorder([delivery, delivery], value)],
  ['reorder, seed', (seed) => testSender({ receiver }).reorder([delivery, delivery], { seed })],
  [
    'send, data',
    (value) => testSender({ receiver }).send('transfer.settled', value),
    'a promise',
    'an object without a prototype',
  ],
  ['prepare, options', (value) => testSender({ receiver }).prepare('transfer.settled', {}, value)],
  ['redeliver, options', (value) => testSender({ receiver }).redeliver(delivery, value)],
  ['testSender, headers', (headers) => testSender({ receiver, headers }), 'a promise'],
  ['testSender, timeoutSeconds', (timeoutSeconds) => testSender({ receiver, timeoutSeconds })],
  ['deliveryOf, body', (value) => deliveryOf(value), 'megabytes', 'a text with a zero'],
  [
    'deliveryOf, secret',
    (secret) => deliveryOf('', { secret }),
    'a list of a name',
    'a text with a zero',
    'megabytes',
  ],
  ['shuffle, list', (value) => shuffle(value), ...lists],
  ['manualClock', (value) => manualClock(value)],
  ['advance', (value) => manualClock().advance(value)],
  ['set', (value) => manualClock().set(value)],
  ['tamper.body', (value) => tamper.body(value)],
  ['tamper.body, offset', (value) => tamper.body(delivery, value)],
  ['tamper.signature', (value) => tamper.signature(value)],
  ['tamper.timestamp', (value) => tamper.timestamp(value)],
  ['tamper.timestamp, seconds', (value) => tamper.timestamp(delivery, value)],
  ['tamper.reserialize', (value) => tamper.reserialize(value)],
  ['tamper.dropHeader', (value) => tamper.dropHeader(value, 'service-signature')],
  ['tamper.dropHeader, name', (value) => tamper.dropHeader(delivery, value), ...texts],
  ['tamper.setHeader', (value) => tamper.setHeader(value, 'service-signature', '')],
  ['tamper.setHeader, name', (value) => tamper.setHeader(delivery, value, ''), ...texts],
  ['tamper.setHeader, value', (value) => tamper.setHeader(delivery, 'service-signature', value), ...texts],
]

describeOdd(rows)
describeUnreadable(rows.filter(([place]) => !/^(?:deliveryOf|fixture)/.test(place)))

it('tamper.reserialize takes only JSON, and a fixture only what JSON can hold', async () => {
  const invalid = expect.objectContaining({ code: 'invalid_option' })
  expect(() => tamper.reserialize({ ...delivery, body: Buffer.from('{') })).toThrow(invalid)
  await expect(fixture('any', { data: { amount: 1n } })).rejects.toThrow(invalid)
})

it('fixture takes no third argument, such as the options of send', async () => {
  const mistaken = fixture as (...given: unknown[]) => Promise<unknown>
  await expect(mistaken('transfer.settled', {}, { secret: 'another' })).rejects.toThrow(
    expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining('options.data') }),
  )
})

it('prepare rejects a wrong option, and does not throw', async () => {
  const prepared = testSender({ receiver }).prepare('transfer.settled', {}, { ids: 'evt_1' } as never)
  await expect(prepared).rejects.toThrow(expect.objectContaining({ code: 'unknown_option' }))
})
