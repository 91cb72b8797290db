import { afterAll, expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { Tally } from '../../src/telemetries/opentelemetry/tally.js'
import { typeLabels } from '../../src/telemetry/type-labels.js'
import { clock, delivery, secret, settled } from '../receiver/deliver.js'
import { otelRig } from './otel-rig.js'

const rig = otelRig()
afterAll(() => rig.close())

const common = { secret, now: clock, logger: false } as const

it('a million types are a hundred labels, and one for all others', () => {
  const labelOf = typeLabels(['known'])
  const labels = new Set<string>()
  for (let i = 0; i < 1e6; i++) {
    labels.add(labelOf(`made.up.${i}`))
  }
  expect(labels.size).toBe(101)
  expect(labels).toContain('_OTHER')
  expect(labelOf('known')).toBe('known')
  expect(labelOf('made.up.7')).toBe('made.up.7')
})

it('a type without a handler is a label up to 100 characters', () => {
  const long = 'x'.repeat(101)
  expect(typeLabels([])('x'.repeat(100))).toBe('x'.repeat(100))
  expect(typeLabels([])(long)).toBe('_OTHER')
  expect(typeLabels([long])(long)).toBe(long)
})

it('a sender who makes up types and fails in many ways makes few series', async () => {
  const endpoint = 'flooded'
  const telemetry = rig.telemetry({ messagingConventions: true })
  const fallback = ({ id }: { id: string }) => {
    if (id.endsWith('7')) {
      throw new TypeError(`no account for ${id}`)
    }
  }
  const receiver = createReceiver({ ...common, endpoint, store: memoryStore(), fallback, telemetry })
  for (let i = 0; i < 300; i++) {
    await receiver.receive(await delivery({ ...settled, id: `evt_${i}`, type: `made.up.${i}` }))
    await receiver.receive(await delivery(`{"id": ${i}`))
    await receiver.receive(await delivery(settled, { headers: { 'service-signature': `t=${i},v1=${i}` } }))
  }
  const points = await rig.points(endpoint)
  const series = (name: string) => points[name]?.length ?? 0
  // Each of the 101 types has one outcome, but _OTHER has both.
  expect(series('webhook_inbox.run.duration')).toBe(102)
  expect(series('webhook_inbox.deliveries')).toBe(104)
  expect(series('messaging.client.consumed.messages')).toBe(2)
  expect(series('webhook_inbox.receipt.lag')).toBe(1)
  expect(Object.values(points).flat().length).toBeLessThan(230)
})

it('types of any shape stay apart in their series', async () => {
  const endpoint = 'odd'
  const odd = [
    '__proto__',
    'constructor',
    'a b',
    'a',
    '\u{1F4B8}',
    'a"}\\',
    '_OTHER',
    'webhook_inbox.code',
    '0',
  ]
  const receiver = createReceiver({
    ...common,
    endpoint,
    store: memoryStore(),
    fallback: () => {},
    telemetry: rig.telemetry(),
  })
  for (const [i, type] of odd.entries()) {
    const result = await receiver.receive(await delivery({ ...settled, id: `evt_odd${i}`, type }))
    expect(result).toMatchObject({ outcome: 'processed' })
  }
  for (const name of ['webhook_inbox.deliveries', 'webhook_inbox.run.duration']) {
    const points = (await rig.points(endpoint))[name] as { attributes: Record<string, string> }[]
    expect(points.map(({ attributes }) => attributes['webhook_inbox.event.type'])).toEqual(odd)
  }
})

it('a tally counts each combination once, and leaves out what is undefined', () => {
  const tally = new Tally('a', 'b')
  tally.add(1, 'x', 'y')
  tally.add(1, 'x y', undefined)
  tally.add(1, 'x', undefined)
  tally.add(2, 'x', 'y')
  tally.add(1, undefined, 'x')
  tally.add(1, '1', undefined)
  tally.add(1, 1, undefined)
  const observed: unknown[] = []
  tally.observe({ observe: (value, attributes) => void observed.push([value, attributes]) })
  expect(observed).toStrictEqual([
    [3, { a: 'x', b: 'y' }],
    [1, { a: 'x y' }],
    [1, { a: 'x' }],
    [1, { b: 'x' }],
    [1, { a: '1' }],
    [1, { a: 1 }],
  ])
})

it('telemetries of one meter provider add up, with and without the conventions', async () => {
  const endpoint = 'shared'
  const telemetries = [{}, { messagingConventions: true }, { messagingConventions: true }]
  for (const [i, options] of telemetries.entries()) {
    const telemetry = rig.telemetry(options)
    const receiver = createReceiver({
      ...common,
      endpoint,
      store: memoryStore(),
      fallback: () => {},
      telemetry,
    })
    await receiver.receive(await delivery({ ...settled, id: `evt_s${i}` }))
  }
  const points = await rig.points(endpoint)
  expect(points['webhook_inbox.deliveries']).toMatchObject([{ value: 3 }])
  expect(points['webhook_inbox.run.duration']).toMatchObject([{ value: { count: 3 } }])
  expect(points['messaging.client.consumed.messages']).toMatchObject([{ value: 2 }])
})

it('a message is consumed once for each delivery to a handler', async () => {
  const endpoint = 'consumed'
  const telemetry = rig.telemetry({ messagingConventions: true })
  let isClosed = true
  const handlers = {
    'transfer.settled'() {
      if (isClosed) {
        throw new Error('the ledger is closed')
      }
    },
  }
  const receiver = createReceiver({ ...common, endpoint, store: memoryStore(), handlers, telemetry })
  await receiver.receive(await delivery())
  isClosed = false
  await receiver.receive(await delivery())
  // None of these reaches a handler: a duplicate, an event without a handler, a wrong body, a wrong signature.
  await receiver.receive(await delivery())
  await receiver.receive(await delivery({ ...settled, id: 'evt_ignored', type: 'nobody.handles' }))
  await receiver.receive(await delivery('{"id"'))
  await receiver.receive(await delivery(settled, { secret: 'whsec_another_secret' }))
  const messaging = {
    'messaging.system': 'webhook_inbox',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': endpoint,
  }
  expect((await rig.points(endpoint))['messaging.client.consumed.messages']).toEqual([
    { value: 1, attributes: { ...messaging, 'error.type': 'handler_failed' } },
    { value: 1, attributes: messaging },
  ])
})
