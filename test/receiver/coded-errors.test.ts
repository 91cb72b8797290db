import { afterAll, describe, expect, it } from 'vitest'
import { forward } from '../../src/forward/forward.js'
import { lifecycle } from '../../src/ordering/lifecycle.js'
import { ordered } from '../../src/ordering/ordered.js'
import { localQueue } from '../../src/queues/local.js'
import { createGate, createReceiver } from '../../src/receiver.js'
import { signPayload } from '../../src/signature/sign.js'
import { verifySignature } from '../../src/signature/verify-signature.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { openTelemetry } from '../../src/telemetries/opentelemetry.js'
import { deliveryOf, fixture, shuffle, testSender } from '../../src/testing/index.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret, settled } from './deliver.js'
import { good } from './rejected-options.js'

afterAll(removeFiles)

const throwing = () => {
  throw new Error('boom')
}

/** What a program in JavaScript passes by mistake, and what no option of this package takes. */
const odd: readonly [name: string, make: () => unknown][] = [
  ['null', () => null],
  ['a symbol', () => Symbol('s')],
  ['a promise', () => Promise.resolve()],
  ['a list', () => []],
  ['a list with a hole', () => new Array(1)],
  ['a list of a name', () => ['open']],
  ['NaN', () => Number.NaN],
  ['a bigint', () => 1n],
  ['an object without a prototype', () => Object.assign(Object.create(null), { z: 1 })],
  [
    'an object that cannot be read',
    () => ({
      get z(): never {
        return throwing()
      },
    }),
  ],
  ['a text with a zero', () => '\0'],
  ['megabytes', () => 'x'.repeat(3_000_000)],
]

const audit = { reason: 'a ticket', actor: 'an operator' }
const receiver = createReceiver({
  secret,
  now: clock,
  logger: false,
  store: sqliteStore(newFile()),
  queue: localQueue({ pollSeconds: 3600 }),
  fallback: () => {},
})
const states = lifecycle({ a: ['b'], b: [] })
const rules = {
  lifecycle: states,
  resource: () => 'r',
  state: () => 'a',
  states: { advance: () => true, current: () => null },
  onConflict: () => {},
}
const run = async () => {
  await receiver.receive(await delivery())
  return receiver.run(await receiver.plan({ action: 'replay' }), audit)
}
const running = run()

/** The place of an argument, how to call it with a value, and which of the values are valid there. */
type Row = readonly [place: string, call: (value: never) => unknown, ...valid: string[]]

const functions: readonly Row[] = [
  ['createReceiver', (value) => createReceiver(value)],
  ['createReceiver, limits', (value) => createReceiver({ ...good, limits: { byType: { a: value } } })],
  ['createReceiver, secrets', (value) => createReceiver({ ...good, secret: [secret, value] }), 'megabytes'],
  ['createGate', (value) => createGate(value)],
  ['verifySignature', (value) => verifySignature(value)],
  [
    'verifySignature, secret',
    (value) => verifySignature({ body: '', header: 't=1,v1=aa', secret: [value] }),
    'megabytes',
    'a text with a zero',
  ],
  ['signPayload', (value) => signPayload(value)],
  [
    'signPayload, secrets',
    (value) => signPayload({ body: '', secret: [value] }),
    'megabytes',
    'a text with a zero',
  ],
  [
    'signPayload, id',
    (id) => signPayload({ body: '', secret, id, scheme: { content: 'id.timestamp.body' } }),
    'megabytes',
  ],
  ['lifecycle', (value) => lifecycle(value), 'an object that cannot be read'],
  ['lifecycle, state', (value) => lifecycle({ a: value }), 'a list'],
  ['ordered', (value) => ordered(value, () => {})],
  ['ordered, handler', (value) => ordered(rules, value)],
  ...Object.keys(rules).map(
    (name): Row => [`ordered, ${name}`, (value) => ordered({ ...rules, [name]: value }, () => {})],
  ),
  ['forward', (value) => forward(value)],
  ['openTelemetry, meterProvider', (meterProvider) => openTelemetry({ meterProvider })],
  ['openTelemetry, tracerProvider', (tracerProvider) => openTelemetry({ tracerProvider })],
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
]

const operations: readonly Row[] = [
  ['receive', (value) => receiver.receive(value)],
  ['replay', (value) => receiver.replay(value, audit)],
  ['replay, audit', (value) => receiver.replay(settled.id, value)],
  ['replay, reason', (reason) => receiver.replay(settled.id, { ...audit, reason }), 'a text with a zero'],
  ['replay, options', (value) => receiver.replay(settled.id, audit, value)],
  ['discard', (value) => receiver.discard(value, audit)],
  ['list', (value) => receiver.list(value)],
  ['list, state', (state) => receiver.list({ state })],
  ['list, order', (order) => receiver.list({ order })],
  ['quarantined, code', (code) => receiver.quarantined({ code })],
  ['failures', (value) => receiver.failures(value)],
  ['failures, state', (state) => receiver.failures({ state })],
  ['resolveGroup', (value) => receiver.resolveGroup(value, audit)],
  ['verifyAgain, code', (code) => receiver.verifyAgain({ code }, audit)],
  ['plan', (value) => receiver.plan(value)],
  ['plan, action', (action) => receiver.plan({ action })],
  ['run', (value) => receiver.run(value, audit)],
  ['undo', (value) => receiver.undo(value, audit)],
  ['undoable', (value) => receiver.undoable(settled.id, value)],
  ['undoable, limit', (limit) => receiver.undoable(settled.id, { limit })],
  ['leftAlone', async (value) => (await running).leftAlone(value)],
  ['leftAlone, limit', async (limit) => (await running).leftAlone({ limit })],
  ['applied', async (value) => (await running).applied(value)],
  ['applied, after', async (after) => (await running).applied({ after })],
  ['applied, state', async (state) => (await running).applied({ state })],
  ['pause of a run', async (value) => (await running).pause(value)],
]

const rows = [...functions, ...operations].map(([place, call, ...valid]) => ({ place, call, valid }))

describe.each(rows)('$place', ({ call, valid }) => {
  it.each(odd.filter(([name]) => !valid.includes(name)))('rejects %s with a code', async (_name, make) => {
    const failure = await (async () => call(make() as never))().then(
      () => 'nothing',
      (error: Error & { code?: string }) => error,
    )
    expect(failure).toMatchObject({
      code: expect.stringMatching(/^(?:(?:invalid|unknown)_\w+|body_not_bytes)$/),
    })
    expect((failure as Error).message.length).toBeLessThan(1000)
  })
})
