import { afterAll, expect, it } from 'vitest'
import { parseEvent } from '../../src/event/parse.js'
import { forward } from '../../src/forward/forward.js'
import { handOver } from '../../src/forward/hand-over.js'
import { exactJson } from '../../src/operations/exact-json.js'
import { commonRules, receiverRules } from '../../src/options/rules.js'
import { lifecycle } from '../../src/ordering/lifecycle.js'
import { ordered } from '../../src/ordering/ordered.js'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { localQueue } from '../../src/queues/local.js'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import { createGate, createReceiver } from '../../src/receiver.js'
import { signPayload } from '../../src/signature/sign.js'
import { verifySignature } from '../../src/signature/verify-signature.js'
import { leaseStore } from '../../src/store/lease.js'
import { isDeliveryKey } from '../../src/store/quarantined-delivery.js'
import { d1Store } from '../../src/stores/d1.js'
import { dynamoStore } from '../../src/stores/dynamodb.js'
import { memoryStore } from '../../src/stores/memory.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { nodeRedis, redisStore } from '../../src/stores/redis.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { openTelemetry } from '../../src/telemetries/opentelemetry.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret, settled } from './deliver.js'
import { describeOdd, describeUnreadable, odd, type Row, unreadable } from './odd-arguments.js'
import { good } from './rejected-options.js'

afterAll(removeFiles)

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

const objects = [...odd, ...unreadable]
  .map(([name]) => name)
  .filter((name) => /^an? (?:list|object|pro)/.test(name))

/** Which odd values an option takes. A telemetry may lack every method. */
const valid: Readonly<Record<string, readonly string[]>> = {
  secret: ['megabytes'],
  environments: ['a list of a name'],
  telemetry: objects,
  priorities: ['an object without a prototype'],
}

const functions: readonly Row[] = [
  ...Object.keys({ ...commonRules, ...receiverRules }).map(
    (name): Row => [
      `createReceiver, ${name}`,
      (value) => createReceiver({ ...good, [name]: value }),
      ...(valid[name] ?? []),
    ],
  ),
  ['createReceiver, schema', (value) => createReceiver({ ...good, schemas: { a: value } })],
  ['createReceiver, handler', (value) => createReceiver({ ...good, handlers: { a: value } as never })],
  ['parseEvent', (value) => parseEvent(value)],
  ['memoryStore', (value) => memoryStore(value)],
  ['memoryStore, now', (now) => memoryStore({ now })],
  ['memoryStore, maxEvents', (maxEvents) => memoryStore({ maxEvents })],
  ['leaseStore', (value) => leaseStore(value)],
  ['handOver', (value) => handOver(value)],
  ['sqliteStore', (value) => sqliteStore(value), 'a text with a zero', 'megabytes'],
  ['sqliteStore, options', (value) => sqliteStore(newFile(), value)],
  ['postgresStore', (value) => postgresStore(value)],
  ['postgresStore, pool', (pool) => postgresStore({ pool })],
  ['redisStore', (value) => redisStore(value)],
  ['nodeRedis', (value) => nodeRedis(value)],
  ['redisStore, client', (client) => redisStore({ client })],
  ['dynamoStore', (value) => dynamoStore(value)],
  ['dynamoStore, client', (client) => dynamoStore({ client, table: 't' } as never)],
  ['d1Store', (value) => d1Store(value)],
  ['d1Store, database', (database) => d1Store({ database })],
  ['localQueue', (value) => localQueue(value)],
  ['bullmqQueue', (value) => bullmqQueue(value)],
  ['pgBossQueue', (value) => pgBossQueue(value)],
  ['pgBossQueue, boss', (boss) => pgBossQueue({ boss })],
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
  ['lifecycle, next state', (value) => lifecycle({ a: [value] })],
  ['lifecycle, state', (value) => lifecycle({ a: value }), 'a list'],
  ['ordered', (value) => ordered(value, () => {})],
  ['ordered, handler', (value) => ordered(rules, value)],
  ...Object.keys(rules).map(
    (name): Row => [`ordered, ${name}`, (value) => ordered({ ...rules, [name]: value }, () => {})],
  ),
  ['forward', (value) => forward(value)],
  ['openTelemetry, meterProvider', (meterProvider) => openTelemetry({ meterProvider })],
  ['openTelemetry, tracerProvider', (tracerProvider) => openTelemetry({ tracerProvider })],
]

const operations: readonly Row[] = [
  ['inspect', (value) => receiver.inspect(value), 'a text with a zero'],
  ['inspectQuarantined', (value) => receiver.inspectQuarantined(value), 'a text with a zero'],
  ['explain', (value) => receiver.explain(value)],
  ['shapeChanges', (value) => receiver.shapeChanges(value)],
  ['audits', (value) => receiver.audits(value)],
  ['statistics', (value) => receiver.statistics(value)],
  ['statistics, from', (from) => receiver.statistics({ from } as never)],
  ['pause', (value) => receiver.pause(value, audit)],
  ['pause, type', (type) => receiver.pause({ type }, audit)],
  ['replayEdited, edit', (value) => receiver.replayEdited(settled.id, value, audit)],
  ['replayEdited, body', (body) => receiver.replayEdited(settled.id, { body }, audit)],
  ['replayEdited, options', (value) => receiver.replayEdited(settled.id, { data: 1 }, audit, value)],
  ['replayEdited, seen', (seen) => receiver.replayEdited(settled.id, { data: 1 }, audit, { seen })],
  ['replay, seen', (seen) => receiver.replay(settled.id, audit, { seen })],
  ['stopOnSignals', (value) => receiver.stopOnSignals(value)],
  ['readiness', (value) => receiver.readiness(value)],
  ['readiness, timeoutSeconds', (timeoutSeconds) => receiver.readiness({ timeoutSeconds })],
  ['start', (value) => receiver.start(value)],
  ['stop', (value) => receiver.stop(value)],
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
  ['plan, state', (state) => receiver.plan({ action: 'replay', where: { state } })],
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

describeOdd([...functions, ...operations])

/** Objects of the receiver’s options, each with an odd value inside. */
const below = (value: never): Record<string, object> => ({
  limits: { byType: value },
  breaker: { failures: value, retryAfterSeconds: 1 },
  logger: { info: value, warn: value, error: value },
  schemas: { a: value },
  handlers: { a: value },
  scheme: { content: value },
})

const given = [...functions, ...operations].filter(([place]) =>
  /^(?:createReceiver|createGate|ordered|lifecycle|openTelemetry|replay|run$|pause of|leaseStore|nodeRedis|\w+Store$|\w+Store, (?:pool|client|database)|pgBossQueue|bullmqQueue)/.test(
    place,
  ),
)
describeUnreadable([
  ...given,
  ...Object.keys(below(undefined as never)).map(
    (name): Row => [
      `createReceiver, below ${name}`,
      (value) => createReceiver({ ...good, [name]: below(value)[name] }),
    ],
  ),
])

it('isDeliveryKey knows no key in anything but text', () => {
  for (const [, make] of [...odd, ...unreadable]) {
    expect(isDeliveryKey(make() as never, 'default')).toBe(false)
  }
})

it.each([
  [
    'an option',
    () => createReceiver({ ...good, ['x'.repeat(3_000_000)]: 1 } as never),
    'xxx… is not an option',
  ],
  [
    'a type',
    () => createReceiver({ ...good, handlers: { ['x'.repeat(3_000_000)]: 1 } as never }),
    'xxx… is not',
  ],
  ['a state', () => lifecycle({ ['x'.repeat(3_000_000)]: 1 } as never), 'xxx… must be a list'],
  [
    'a property',
    () => exactJson({ ['x'.repeat(3_000_000)]: new Map() }, 'data'),
    'xxx… is an object of a class',
  ],
  ['a line break', () => createReceiver({ ...good, 'a\nb': 1 } as never), 'a\ufffdb is not an option'],
])('a message cuts the name of %s, and keeps to one line', (_, call, text) => {
  expect(call).toThrow(text)
  expect(call).toThrow(/^.{1,1500}$/)
})
