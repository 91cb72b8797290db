import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret, settled } from './deliver.js'

afterAll(removeFiles)

const audit = { reason: 'a wrong account', actor: 'an operator' }
const invalid = { name: 'ConfigurationError', code: 'invalid_option' }
const patiently = { timeout: 20_000, interval: 50 }
const { type } = settled

let path: string
let seen: { id: string; data: unknown }[]
beforeEach(() => {
  path = newFile()
  seen = []
})

const receiverOf = (over: object = {}): Receiver =>
  createReceiver({
    secret,
    now: clock,
    logger: false,
    store: sqliteStore(path),
    queue: localQueue({ pollSeconds: 3600 }),
    fallback: ({ id, data }: { id: string; data: unknown }) => void seen.push({ id, data }),
    ...over,
  } as never)

describe('an edited replay', () => {
  it('is a new event with a parent, and runs beside the old one', async () => {
    const receiver = receiverOf()
    await receiver.start()
    await receiver.receive(await delivery(settled))
    const data = { ...settled.data, transferId: 'tr_corrected' }
    const id = await receiver.replayEdited(settled.id, { data }, audit)
    expect(id).toMatch(/^evt_edited_/)
    await expect.poll(() => seen.length, patiently).toBe(2)
    expect(seen.at(-1)).toMatchObject({ id, data: { transferId: 'tr_corrected' } })
    await expect.poll(async () => (await receiver.inspect(id))?.state, patiently).toBe('done')
    expect(await receiver.inspect(id)).toMatchObject({ parent: settled.id, type })
    expect(await receiver.inspect(settled.id)).not.toHaveProperty('parent')
    expect(await receiver.audits({ eventId: id })).toMatchObject([
      { action: 'replayEdited', subject: settled.id, ...audit },
    ])

    const body = JSON.stringify({ ...settled, type: 'transfer.other' })
    const other = await receiver.replayEdited(settled.id, { body }, audit)
    expect(await receiver.inspect(other)).toMatchObject({ type: 'transfer.other', parent: settled.id })
    await receiver.stop()
  })

  it('is rejected where no delivery could bring it', async () => {
    const schemas = { [type]: z.object({ transferId: z.string() }) }
    const receiver = receiverOf({ schemas })
    await receiver.receive(await delivery(settled))
    const edits = [
      { body: '{' },
      { body: '{"id":"evt_1"}' },
      { data: { transferId: 5 } },
      { body: 5 },
      {},
      { body: JSON.stringify(settled), data: {} },
    ]
    for (const edit of edits) {
      const edited = receiver.replayEdited(settled.id, edit as never, audit)
      await expect(edited, JSON.stringify(edit)).rejects.toMatchObject(invalid)
    }
    const data = { transferId: 'tr_1' }
    await expect(receiver.replayEdited('evt_unknown', { data }, audit)).rejects.toMatchObject(invalid)
    await expect(receiver.replayEdited(settled.id, { data }, { ...audit, actor: ' ' })).rejects.toMatchObject(
      invalid,
    )
    expect(await receiver.list()).toHaveLength(1)
  })
})

describe('the data of an edited replay', () => {
  const self: Record<string, unknown> = {}
  self.self = self
  it.each([
    ['NaN', { fee: Number.NaN }],
    ['Infinity', { fees: [Number.POSITIVE_INFINITY] }],
    ['a bigint', { amount: 5n }],
    ['a Map', { ids: new Map([['a', 1]]) }],
    ['a Date', { at: new Date(0) }],
    ['a function', { toJSON: () => ({}) }],
    ['a symbol', { mark: Symbol('a') }],
    ['an absent item', { items: [undefined] }],
    ['a circle', self],
    ['a getter that throws', Object.defineProperty({}, 'a', { get: () => expect.fail(), enumerable: true })],
    ['no object', 'text'],
    ['nothing', null],
  ])('is rejected with %s, which JSON would change', async (_, data) => {
    const receiver = receiverOf()
    await receiver.receive(await delivery({ ...settled, type: 'any' }))
    await expect(receiver.replayEdited(settled.id, { data }, audit)).rejects.toMatchObject(invalid)
    expect(await receiver.list()).toHaveLength(1)
  })

  it('reaches the handler as it was given, and leaves out what is undefined', async () => {
    const receiver = receiverOf()
    await receiver.start()
    await receiver.receive(await delivery(settled))
    const data = { ...settled.data, memo: undefined, rate: 0.1, tags: ['a', null, { b: true }], none: {} }
    const id = await receiver.replayEdited(settled.id, { data }, audit)
    await expect.poll(() => seen.find((each) => each.id === id), patiently).toBeDefined()
    const { memo, ...rest } = data
    expect(seen.find((each) => each.id === id)?.data).toEqual(rest)
    await receiver.stop()
  })
})

it('an edited replay is rejected where the environment or the size of a delivery would be', async () => {
  const receiver = receiverOf({ environments: ['production'], maxBodyBytes: 2000 })
  await receiver.receive(await delivery({ ...settled, environment: 'production' }))
  const sandbox = JSON.stringify({ ...settled, environment: 'sandbox' })
  const large = { data: { ...settled.data, memo: 'x'.repeat(2000) } }
  for (const [edit, code] of [
    [{ body: sandbox }, /environment_not_allowed/],
    [large, /body_too_large/],
  ] as const) {
    const edited = receiver.replayEdited(settled.id, edit, audit)
    await expect(edited).rejects.toMatchObject({ ...invalid, message: expect.stringMatching(code) })
  }
  expect(await receiver.list()).toHaveLength(1)
})

it('what an operator accepts gives the queue a job with the priority of its type', async () => {
  const jobs: unknown[] = []
  const queue = {
    guarantee: '',
    consume: async () => async () => {},
    enqueue: async (job: object) => void jobs.push(job),
    committed: (job: object) => void jobs.push(job),
  }
  const over = { queue, priorities: { [type]: 7 } }
  const receiver = receiverOf(over)
  await receiver.receive(await delivery(settled))
  const inexact = JSON.stringify({ ...settled, id: 'evt_2' }).replace(
    '"data":{',
    '"data":{"a":0.12345678901234567890123,',
  )
  await receiver.receive(await delivery(new TextEncoder().encode(inexact) as never))
  jobs.length = 0
  await receiver.replayEdited(settled.id, { data: settled.data }, audit)
  const round = receiverOf({ ...over, inexactNumbers: 'round' })
  expect(await round.verifyAgain({}, audit)).toMatchObject({ released: ['evt_2'] })
  const bury = sqliteStore(path)
  await bury.inbox.markDead((await receiver.inspect(settled.id))?.key as string, 'the end')
  await receiver.start({ consume: false })
  await (await receiver.run(await receiver.plan({ action: 'replay' }), audit)).finished()
  await receiver.stop()
  expect(jobs).toHaveLength(6)
  expect(jobs.filter((job) => (job as { priority?: number }).priority !== 7)).toEqual([])
})

describe('quarantined deliveries', () => {
  const inexactOf = (id: string, data: object = {}) =>
    new TextEncoder().encode(
      JSON.stringify({ ...settled, type: 'any', id, data: { x: 1, ...data } }).replace(
        '"x":1',
        '"x":0.12345678901234567890123',
      ),
    )
  const quarantine = async (receiver: Receiver, body: Uint8Array) =>
    expect(await receiver.receive(await delivery(body as never))).toMatchObject({ outcome: 'quarantined' })

  it('are released beside one for which resource() or its schema throws', async () => {
    const strict = receiverOf()
    await quarantine(strict, inexactOf('evt_old', { b: { c: 'r' } }))
    await quarantine(strict, inexactOf('evt_poison'))
    await quarantine(strict, inexactOf('evt_new', { b: { c: 'r' } }))
    const resource = ({ data }: { data: { b: { c: string } } }) => data.b.c
    const receiver = receiverOf({ resource, inexactNumbers: 'round' })
    const { released, kept } = await receiver.verifyAgain({}, audit)
    expect(released).toEqual(['evt_new', 'evt_old'])
    expect(kept).toMatchObject([{ code: 'handler_failed', detail: expect.stringMatching(/resource\(\)/) }])
    const validate = () => {
      throw new Error('a fault of the schema')
    }
    const schemas = { any: { '~standard': { version: 1, vendor: 'test', validate } } }
    const faulty = receiverOf({ schemas, inexactNumbers: 'round' })
    expect(await faulty.verifyAgain({}, audit)).toMatchObject({
      released: [],
      kept: [{ code: 'handler_failed', detail: expect.stringMatching(/schema/) }],
    })
  })

  it('that were released before the queue failed are named; the rest stays', async () => {
    const strict = receiverOf()
    for (const id of ['evt_3', 'evt_2', 'evt_1']) {
      await quarantine(strict, inexactOf(id))
    }
    let enqueued = 0
    const enqueue = async () => {
      if (++enqueued === 2) {
        throw new Error('the queue is down')
      }
    }
    const queue = { guarantee: '', consume: async () => async () => {}, enqueue }
    const receiver = receiverOf({ queue, inexactNumbers: 'round' })
    const { released, kept } = await receiver.verifyAgain({}, audit)
    expect(released).toEqual(['evt_1'])
    expect(kept.map(({ code }) => code)).toEqual(['store_unavailable', 'store_unavailable'])
    expect(await receiver.quarantined()).toHaveLength(2)
    enqueued = 1
    await expect(receiver.verifyAgain({}, audit)).rejects.toThrow('the queue is down')
  })

  it('of a code are found behind any number of others, and an unknown code or key is rejected', async () => {
    const receiver = receiverOf()
    await quarantine(receiver, inexactOf('evt_1'))
    const old = (await receiver.quarantined())[0]?.key as string
    for (const each of ['{', '{"a"', '{"b"']) {
      await quarantine(receiver, new TextEncoder().encode(each))
    }
    const round = receiverOf({ inexactNumbers: 'round' })
    const { kept } = await round.verifyAgain({ code: 'invalid_json', limit: 2 }, audit)
    expect(kept).toHaveLength(2)
    expect(await round.verifyAgain({ code: 'invalid_data', limit: 2 }, audit)).toMatchObject({
      released: ['evt_1'],
    })
    for (const query of [
      { key: old },
      { key: 'default/unknown' },
      { code: 'nonsense' },
      { limit: Number.NaN },
    ]) {
      await expect(round.verifyAgain(query as never, audit)).rejects.toMatchObject(invalid)
    }
  })

  it('that fit now are released and run; the others stay', async () => {
    const strict = receiverOf()
    const inexact = JSON.stringify(settled).replace('"data":{', '"data":{"rate":0.12345678901234567890123,')
    const text = new TextEncoder()
    for (const body of [text.encode(inexact), text.encode('{')]) {
      expect(await strict.receive(await delivery(body as never))).toMatchObject({ outcome: 'quarantined' })
    }
    expect((await strict.verifyAgain({}, audit)).released).toEqual([])
    const receiver = receiverOf({ inexactNumbers: 'round' })
    await receiver.start()
    expect((await receiver.verifyAgain({ code: 'event_id_conflict' }, audit)).kept).toEqual([])
    const { released, kept } = await receiver.verifyAgain({}, audit)
    expect(released).toEqual([settled.id])
    expect(kept).toMatchObject([{ code: 'invalid_json' }])
    await expect.poll(() => seen.map(({ id }) => id), patiently).toEqual([settled.id])
    expect((await receiver.quarantined()).map(({ code }) => code)).toEqual(['invalid_json'])
    const [entry] = await receiver.audits({ eventId: settled.id })
    expect(entry).toMatchObject({ action: 'verifyAgain', ...audit })
    await receiver.stop()
  })

  it('that conflict with an event stay until that is gone', async () => {
    const receiver = receiverOf()
    await receiver.receive(await delivery(settled))
    const other = { ...settled, data: { ...settled.data, transferId: 'other' } }
    await receiver.receive(await delivery(other))
    const [{ key } = { key: '' }] = await receiver.quarantined()
    expect((await receiver.verifyAgain({ key }, audit)).kept).toEqual([{ key, code: 'event_id_conflict' }])
  })
})
