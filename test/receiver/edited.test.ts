import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { delivery, settled } from './deliver.js'

openEditedRig()

import {
  audit,
  file,
  hostileSchemas,
  invalid,
  openEditedRig,
  patiently,
  receiverOf,
  seen,
  throwProxy,
  type,
} from './edited-rig.js'

describe('an edited replay', () => {
  it('is a new event with a parent, and runs beside the old one', async () => {
    const receiver = receiverOf()
    await receiver.start()
    await receiver.receive(await delivery(settled))
    const data = { ...settled.data, transferId: 'tr_corrected' }
    const id = await receiver.replayEdited(settled.id, { data }, audit)
    expect(id).toMatch(/^evt_edited_[0-9a-f]{32}$/)
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

  it('names the place of a number that JavaScript cannot represent exactly', async () => {
    const receiver = receiverOf()
    await receiver.receive(await delivery(settled))
    for (const [data, place] of [
      ['{"a":1,"amount":9007199254740993}', 'data.amount'],
      ['{"none":null,"a":{"b":null},"amount":9007199254740993}', 'data.amount'],
      ['{"lines":[{"a":2},{"b":[12345678901234567890]}]}', 'data.lines[1].b[0]'],
      ['{"amount":1e999}', 'data.amount'],
      ['{"a":{"b":12345678901234567890,"b":1}}', 'a number'],
    ] as const) {
      const body = JSON.stringify({ ...settled, type: 'any', data: 0 }).replace('"data":0', `"data":${data}`)
      await expect(receiver.replayEdited(settled.id, { body }, audit)).rejects.toMatchObject({
        code: 'invalid_option',
        message: expect.stringContaining(
          `the edited event is invalid_data: JavaScript cannot represent ${place} exactly; fix: write it as a string`,
        ),
      })
    }
  })

  it('is rejected if the event changed since the caller saw it', async () => {
    const receiver = receiverOf()
    await receiver.start()
    await receiver.receive(await delivery(settled))
    await expect.poll(async () => (await receiver.inspect(settled.id))?.state, patiently).toBe('done')
    const seen = await receiver.inspect(settled.id)
    await receiver.replay(settled.id, audit)
    const edit = { data: { ...settled.data, transferId: 'tr_late' } }
    const late = receiver.replayEdited(settled.id, edit, audit, { seen })
    await expect(late).rejects.toMatchObject({ code: 'event_changed' })
    const unknown = receiver.replayEdited('evt_gone', edit, audit, { seen })
    await expect(unknown).rejects.toMatchObject({ code: 'event_changed' })
    for (const options of [{ sen: seen }, { seen: 5 }, { seen: { state: 'done', generation: -1 } }]) {
      const wrong = receiver.replayEdited(settled.id, edit, audit, options as never)
      await expect(wrong, JSON.stringify(options)).rejects.toMatchObject({
        code: expect.stringMatching(/^(unknown|invalid)_option$/),
      })
    }
    expect(await receiver.list()).toHaveLength(1)
    await receiver.stop()
  })

  it('is one more copy each time, also with what the caller saw', async () => {
    const receiver = receiverOf()
    await receiver.receive(await delivery(settled))
    const seen = await receiver.inspect(settled.id)
    const edit = { data: { ...settled.data, transferId: 'tr_twice' } }
    const ids = [
      await receiver.replayEdited(settled.id, edit, audit, { seen }),
      await receiver.replayEdited(settled.id, edit, audit, { seen }),
    ]
    expect(new Set(ids).size).toBe(2)
    expect(await receiver.list({ root: settled.id })).toHaveLength(3)
  })

  it('is a change for a replay that says which copies its caller saw', async () => {
    const receiver = receiverOf()
    await receiver.receive(await delivery(settled))
    const seen = await receiver.inspect(settled.id)
    const edit = { data: { ...settled.data, transferId: 'tr_other' } }
    const copy = await receiver.replayEdited(settled.id, edit, audit, { seen, copies: [] })
    const late = receiver.replay(settled.id, audit, { seen, copies: [] })
    await expect(late).rejects.toMatchObject({ name: 'ConflictError', code: 'event_changed' })
    const wrong = receiver.replay(settled.id, audit, { copies: [5] } as never)
    await expect(wrong).rejects.toMatchObject(invalid)
    expect((await receiver.audits()).map(({ action }) => action)).toEqual(['replayEdited'])
    expect(await receiver.replay(settled.id, audit, { seen, copies: [copy] })).toBe(1)
  })

  it('is rejected if the schema throws a value that cannot be inspected', async () => {
    await receiverOf().receive(await delivery(settled))
    const receiver = receiverOf({ schemas: hostileSchemas(type) })
    await expect(receiver.replayEdited(settled.id, { data: settled.data }, audit)).rejects.toMatchObject({
      name: 'HandlerFailure',
      detail: `in the schema of ${type}`,
    })
    expect(await receiver.list()).toHaveLength(1)
  })

  it('is rejected with a lone surrogate, which UTF-8 would replace', async () => {
    const receiver = receiverOf()
    await receiver.receive(await delivery({ ...settled, type: 'any' }))
    const body = (name: string) =>
      JSON.stringify({ ...settled, type: 'any', data: { name: '?' } }).replace('?', name)
    const message = expect.stringContaining('body has a lone surrogate')
    const edited = receiver.replayEdited(settled.id, { body: body('caf\ud800') }, audit)
    await expect(edited).rejects.toMatchObject({ ...invalid, message })
    // JSON can escape it.
    for (const edit of [{ body: body('caf\\ud800') }, { data: { name: 'caf\ud800' } }]) {
      const id = await receiver.replayEdited(settled.id, edit, audit)
      const kept = JSON.parse(new TextDecoder().decode((await receiver.inspect(id))?.body))
      expect(kept.data).toEqual({ name: 'caf\ud800' })
    }
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
    await expect(receiver.replayEdited('evt_unknown', { data }, audit)).rejects.toMatchObject({
      ...invalid,
      code: 'event_not_found',
    })
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
    ['minus zero', { fee: -0 }],
    ['a name that is a symbol', { [Symbol('a')]: 1 }],
    ['a hidden property', Object.defineProperty({}, 'a', { value: 1 })],
    ['a list with a name', { items: Object.assign([1], { total: 2 }) }],
    ['a circle', self],
    ['a getter that throws', Object.defineProperty({}, 'a', { get: () => expect.fail(), enumerable: true })],
    ['a getter that throws a proxy', Object.defineProperty({}, 'a', { get: throwProxy, enumerable: true })],
    ['a proxy that throws a proxy', new Proxy({}, { getPrototypeOf: throwProxy })],
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
  const bury = sqliteStore(file())
  await bury.inbox.markDead((await receiver.inspect('evt_2'))?.key as string, 'the end')
  await receiver.start({ consume: false })
  await (await receiver.run(await receiver.plan({ action: 'replay' }), audit)).finished()
  await receiver.stop()
  expect(jobs).toHaveLength(6)
  expect(jobs.filter((job) => (job as { priority?: number }).priority !== 7)).toEqual([])
})
