import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { shapeOf, withInner } from '../../src/operations/data-shape.js'
import { compareShapes } from '../../src/operations/shape-changes.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret, settled } from './deliver.js'

afterAll(removeFiles)

const audit = { reason: 'a ticket', actor: 'an operator' }
const invalid = { code: 'invalid_option' }

function receiverOf(fallback: (event: { id: string; data: never }) => unknown, over: object = {}): Receiver {
  const receiver = createReceiver({
    secret,
    now: clock,
    logger: false,
    store: sqliteStore(newFile()),
    queue: localQueue({ pollSeconds: 0.05, concurrency: 50, retry: { attempts: 1 } }),
    fallback: fallback as never,
    ...over,
  })
  onTestFinished(() => receiver.stop())
  return receiver
}

const accept = async (receiver: Receiver, id: string, over: object = {}) =>
  expect(await receiver.receive(await delivery({ ...settled, id, ...over } as never))).toMatchObject({
    outcome: 'accepted',
  })

test('a group that was resolved and failed again is not acknowledged as it was seen before', async () => {
  const receiver = receiverOf(() => {
    throw new Error('the rail is down')
  })
  await receiver.start()
  await accept(receiver, 'evt_1')
  await expect.poll(async () => (await receiver.failures()).length).toBe(1)
  const [seen] = await receiver.failures()
  const group = seen?.group as string
  await receiver.resolveGroup(group, audit, { seen })
  await accept(receiver, 'evt_2')
  await expect.poll(async () => (await receiver.failures())[0]?.state).toBe('open')
  const changed = { name: 'ConflictError', code: 'group_changed' }
  await expect(receiver.acknowledgeGroup(group, audit, { seen })).rejects.toMatchObject(changed)
  for (const wrong of [{ state: 'open' }, { state: 'open', changes: -1 }, { changes: 0 }, null]) {
    await expect(receiver.reopenGroup(group, audit, { seen: wrong as never })).rejects.toMatchObject(invalid)
  }
  const [now] = await receiver.failures()
  await receiver.acknowledgeGroup(group, audit, { seen: now })
  expect((await receiver.failures())[0]).toMatchObject({ state: 'acknowledged', changes: 3 })
})

// A mutation run sets FUZZ_RUNS, and runs this test for many mutants.
const count = process.env.LONG ? 10_200 : process.env.FUZZ_RUNS ? 90 : 900

test(`${count} dead events with three causes and random ids are three groups`, {
  timeout: 300_000,
}, async () => {
  const causes = [
    (id: string) => new TypeError(`no account ${id}`),
    (id: string) => Object.assign(new Error(`balance of ${id} is ${Math.random()}`), { code: '23505' }),
    (id: string) => new RangeError(`the rail answered "${randomUUID()}" for ${id}`),
  ] as const
  const receiver = receiverOf(({ id }) => {
    throw causes[Number(id.at(-1)) % 3]?.(id)
  })
  await receiver.start()
  for (let i = 0; i < count; i += 30) {
    await Promise.all(
      Array.from({ length: 30 }, (_, j) => accept(receiver, `evt_${randomUUID()}_${(i + j) % 3}`)),
    )
  }
  await expect.poll(async () => (await receiver.health()).counts.dead, { timeout: 250_000 }).toBe(count)
  const groups = await receiver.failures()
  expect(groups.map(({ title }) => title).sort()).toEqual([
    'Error: balance of * is * (23505)',
    'RangeError: the rail answered * for *',
    'TypeError: no account *',
  ])
  for (const group of groups) {
    expect(group).toMatchObject({ count: count / 3, dead: count / 3, isCapped: false, state: 'open' })
    expect(group).toMatchObject({ code: 'handler_failed', types: [settled.type] })
    expect(group.place).toContain('receiver/failures')
    expect(await receiver.inspect(group.example)).toMatchObject({ group: group.group, state: 'dead' })
  }
})

describe('a group', () => {
  test('is acknowledged, resolved and opened again with an audit, in its own endpoint only', async () => {
    const receiver = receiverOf(() => {
      throw new Error('the rail is down')
    })
    await receiver.start()
    await accept(receiver, 'evt_1')
    await expect.poll(async () => (await receiver.failures())[0]?.dead).toBe(1)
    const [{ group } = { group: '' }] = await receiver.failures()
    await receiver.acknowledgeGroup(group, audit)
    expect(await receiver.failures({ state: 'acknowledged' })).toHaveLength(1)
    await receiver.resolveGroup(group, audit)
    expect(await receiver.failures({ state: 'acknowledged' })).toEqual([])
    await receiver.reopenGroup(group, audit)
    expect(await receiver.failures({ state: 'open' })).toHaveLength(1)
    await receiver.resolveGroup(group, audit)
    expect((await receiver.audits()).map(({ action }) => action)).toEqual([
      'resolveGroup',
      'reopenGroup',
      'resolveGroup',
      'acknowledgeGroup',
    ])
    await receiver.replay('evt_1', audit)
    await expect.poll(async () => (await receiver.failures({ state: 'open' }))[0]?.dead).toBe(1)
    await expect(receiver.resolveGroup('other:1', audit)).rejects.toMatchObject({ code: 'target_not_found' })
    await expect(receiver.resolveGroup(group, { reason: '', actor: 'x' })).rejects.toMatchObject(invalid)
    await expect(receiver.failures({ states: 'open' } as never)).rejects.toMatchObject({
      code: 'unknown_option',
    })
  })

  test('needs a store that keeps groups', async () => {
    const receiver = createReceiver({ secret, store: memoryStore(), handlers: {}, logger: false })
    await expect(receiver.failures()).rejects.toMatchObject({ code: 'invalid_store' })
  })
})

test('groups are listed in pages, and with those of other endpoints', async () => {
  const path = newFile()
  const fail = (endpoint: string) =>
    receiverOf(
      ({ id }) => {
        throw new Error(`the rail ${id.startsWith('evt_a') ? 'a is' : 'is'} down`)
      },
      { endpoint, store: sqliteStore(path) },
    )
  const [mine, other] = [fail('default'), fail('other')]
  for (const [receiver, id] of [
    [mine, 'evt_a'],
    [mine, 'evt_b'],
    [other, 'evt_c'],
  ] as const) {
    await receiver.start()
    await accept(receiver, id)
    await expect.poll(async () => (await receiver.inspect(id))?.state).toBe('dead')
  }
  const groups = await mine.failures()
  expect(groups).toHaveLength(2)
  expect(await mine.failures({ limit: 1 })).toEqual(groups.slice(0, 1))
  expect(await mine.failures({ empty: true })).toEqual(groups)
  expect(await mine.failures({ after: groups[0]?.group })).toEqual(groups.slice(1))
  expect(await mine.failures({ allEndpoints: true })).toHaveLength(3)
})

describe('the changes of a shape', () => {
  test('name a field that was renamed, and hold no value', async () => {
    const receiver = receiverOf(({ id }) => {
      if (id === 'evt_bad') {
        throw new Error('bad')
      }
    })
    await receiver.start()
    const type = 'no.schema'
    const bad = { amountCents: 'secret value', currency: 'EUR', lines: [{ a: 1 }] }
    await accept(receiver, 'evt_bad', { type, data: bad })
    await expect.poll(async () => (await receiver.inspect('evt_bad'))?.state).toBe('dead')
    expect(await receiver.shapeChanges('evt_bad')).toEqual([])
    await accept(receiver, 'evt_good', {
      type,
      data: { amount: '1', currency: null, lines: [{ a: 1, b: true }] },
    })
    await expect.poll(async () => (await receiver.inspect('evt_good'))?.state).toBe('done')
    const changes = await receiver.shapeChanges('evt_bad')
    expect(changes).toEqual([
      { change: 'type', path: 'data.currency', before: 'null', type: 'string' },
      { change: 'renamed', path: 'data.amountCents', before: 'data.amount', type: 'string' },
      { change: 'missing', path: 'data.lines[].b', type: 'boolean' },
    ])
    await expect(receiver.shapeChanges('evt_none')).rejects.toMatchObject({ code: 'event_not_found' })
  })

  test('call a field renamed only where no other can be meant', () => {
    const changes = compareShapes(shapeOf({ a: 1 }), shapeOf({ b: 1, c: 1 }))
    expect(changes.map(({ change, path }) => [change, path])).toEqual([
      ['missing', 'data.a'],
      ['added', 'data.b'],
      ['added', 'data.c'],
    ])
  })

  test('call no field renamed that other successes lack, or that they had beside it', () => {
    const [before, after] = [shapeOf({ account: 'a' }), shapeOf({ phone: 'p' })]
    const renamed = [{ change: 'renamed', path: 'data.phone', before: 'data.account', type: 'string' }]
    expect(compareShapes(before, after, [shapeOf({ account: 'b', more: 1 })])).toEqual(renamed)
    for (const other of [{ phone: 'q' }, {}, { account: 'b', phone: 'q' }]) {
      const changes = compareShapes(before, after, [shapeOf(other)])
      expect(changes.map(({ change }) => change)).toEqual(['missing', 'added'])
    }
  })

  test('read the successes before the last one too', async () => {
    const receiver = receiverOf(({ id }) => {
      if (id === 'evt_bad') {
        throw new Error('bad')
      }
    })
    await receiver.start()
    const type = 'no.schema'
    const events = { evt_other: { phone: 'p' }, evt_good: { account: 'a' }, evt_bad: { phone: 'q' } }
    for (const [id, data] of Object.entries(events)) {
      await accept(receiver, id, { type, data })
      await expect.poll(async () => (await receiver.inspect(id))?.state).toMatch(/done|dead/)
    }
    expect((await receiver.shapeChanges('evt_bad')).map(({ change }) => change)).toEqual(['missing', 'added'])
    expect(await receiver.shapeChanges('evt_bad', { since: 'evt_other' })).toEqual([])
    const wrong = receiver.shapeChanges('evt_bad', { since: 5 as never })
    await expect(wrong).rejects.toThrow('since must be')
    await expect(receiver.shapeChanges('evt_bad', { since: 'evt_none' })).rejects.toMatchObject({
      code: 'event_not_found',
    })
  })

  test('are limited, however deep and wide the data is', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`)
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, [i]]))
    expect(withInner([shapeOf(deep)]).length).toBeLessThan(20)
    expect(withInner([shapeOf(wide)]).length).toBeLessThanOrEqual(2000)
    expect(compareShapes(shapeOf({}), shapeOf(wide))).toHaveLength(100)
  })
})
