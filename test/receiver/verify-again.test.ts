import { describe, expect, it } from 'vitest'
import type { Receiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { delivery, settled } from './deliver.js'
import {
  audit,
  file,
  hostileSchemas,
  invalid,
  openEditedRig,
  patiently,
  receiverOf,
  seen,
} from './edited-rig.js'

openEditedRig()

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
    const lines: string[] = []
    const logger = {
      info() {},
      warn() {},
      error: (text: string, cause?: unknown) => void lines.push(`${text}: ${cause}`),
    }
    const receiver = receiverOf({ resource, logger, inexactNumbers: 'round' })
    const inspected = (await receiver.quarantined()).map(({ key }) => receiver.inspectQuarantined(key))
    expect((await Promise.all(inspected)).map((each) => each?.rejection)).toEqual([
      undefined,
      { code: 'handler_failed', detail: expect.stringMatching(/resource\(\)/) },
      undefined,
    ])
    expect(lines).toEqual([])
    const { released, kept } = await receiver.verifyAgain({}, audit)
    expect(released).toEqual(['evt_old', 'evt_new'])
    expect(kept).toMatchObject([{ code: 'handler_failed', detail: expect.stringMatching(/resource\(\)/) }])
    expect(lines).toEqual([
      expect.stringMatching(
        `^webhook-inbox: delivery ${kept[0]?.key} stays in quarantine: handler_failed.*TypeError: Cannot read`,
      ),
    ])
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

  it('are checked with only one body in memory at a time', async () => {
    const size = 50_000
    for (const id of ['evt_1', 'evt_2', 'evt_3']) {
      await quarantine(receiverOf(), inexactOf(id, { filler: 'x'.repeat(size) }))
    }
    const store = sqliteStore(file())
    const reads: number[] = []
    const noted = <Found extends { body: Uint8Array }>(found: readonly Found[]) => {
      reads.push(found.reduce((sum, { body }) => sum + body.byteLength, 0))
      return found
    }
    const { inbox } = store
    const watched = {
      ...inbox,
      quarantined: async (query: never) => noted(await inbox.quarantined(query)),
      readQuarantined: async (key: string) => noted([await inbox.readQuarantined?.(key)] as never)[0],
    }
    const receiver = receiverOf({ store: { ...store, inbox: watched }, inexactNumbers: 'round' })
    expect((await receiver.verifyAgain({}, audit)).released).toHaveLength(3)
    expect(Math.max(...reads)).toBeGreaterThan(size)
    expect(Math.max(...reads)).toBeLessThan(2 * size)
  })

  it('stay if the schema throws a value that cannot be inspected', async () => {
    await quarantine(receiverOf(), inexactOf('evt_1'))
    const receiver = receiverOf({ schemas: hostileSchemas('any'), inexactNumbers: 'round' })
    const reason = { code: 'handler_failed', detail: 'in the schema of any' }
    expect(await receiver.verifyAgain({}, audit)).toEqual({
      released: [],
      kept: [{ key: expect.any(String), ...reason }],
      gone: [],
    })
    const { key = '' } = (await receiver.quarantined())[0] ?? {}
    expect(await receiver.inspectQuarantined(key)).toMatchObject({ rejection: reason })
  })

  it('are listed with the id of their event, if it has the form of an id', async () => {
    const receiver = receiverOf()
    await quarantine(receiver, inexactOf('evt_1'))
    await quarantine(receiver, inexactOf('evt 2'))
    const huge = new TextDecoder().decode(inexactOf('evt_3')).replace('0.12345', '1e999,"y":0.12345')
    await quarantine(receiver, new TextEncoder().encode(huge))
    await quarantine(receiver, new TextEncoder().encode('{"id":"evt_4"}'))
    const listed = await receiver.quarantined()
    expect(listed.map(({ code, eventId }) => [code, eventId])).toEqual([
      ['invalid_envelope', 'evt_4'],
      ['invalid_data', 'evt_3'],
      ['invalid_data', undefined],
      ['invalid_data', 'evt_1'],
    ])
  })

  it('are inspected with the warnings that their event would have', async () => {
    const strict = receiverOf()
    await quarantine(strict, inexactOf('evt_1'))
    const { key = '' } = (await strict.quarantined())[0] ?? {}
    const refused = await strict.inspectQuarantined(key)
    expect([refused?.rejection?.code, refused?.warnings]).toEqual(['invalid_data', undefined])
    const rounding = await receiverOf({ inexactNumbers: 'round' }).inspectQuarantined(key)
    expect([rounding?.rejection, rounding?.warnings]).toEqual([
      undefined,
      ['JavaScript cannot represent data.x exactly: it was rounded'],
    ])
    const schemas = {
      any: { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no' }] }) } },
    }
    const unfit = await receiverOf({ schemas, inexactNumbers: 'round' }).inspectQuarantined(key)
    expect([unfit?.rejection?.code, unfit?.warnings]).toEqual(['invalid_data', rounding?.warnings])
  })

  it('that were released before the queue failed are named; the rest stays', async () => {
    const strict = receiverOf()
    for (const id of ['evt_1', 'evt_2', 'evt_3']) {
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
    for (const query of [{ key: old }, { key: 'default/unknown' }]) {
      await expect(round.verifyAgain(query, audit)).rejects.toMatchObject({ code: 'target_not_found' })
    }
    for (const query of [{ code: 'nonsense' }, { limit: Number.NaN }]) {
      await expect(round.verifyAgain(query as never, audit)).rejects.toMatchObject(invalid)
    }
  })

  it('of another code than the one that is asked for stay, also if the key is given', async () => {
    await quarantine(receiverOf(), inexactOf('evt_1'))
    const receiver = receiverOf({ inexactNumbers: 'round' })
    const key = (await receiver.quarantined())[0]?.key as string
    const other = await receiver.verifyAgain({ key, code: 'invalid_json' }, audit)
    expect(other).toEqual({ released: [], kept: [], gone: [] })
    expect((await receiver.verifyAgain({ key, code: 'invalid_data' }, audit)).released).toEqual(['evt_1'])
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
    expect(kept).toStrictEqual([{ key: expect.any(String), code: 'invalid_json' }])
    await expect.poll(() => seen.map(({ id }) => id), patiently).toEqual([settled.id])
    expect((await receiver.quarantined()).map(({ code }) => code)).toEqual(['invalid_json'])
    const [entry] = await receiver.audits({ eventId: settled.id })
    expect(entry).toMatchObject({ action: 'verifyAgain', ...audit })
    await receiver.stop()
  })

  it('are released once by two operators, and are gone for the other', async () => {
    const strict = receiverOf()
    const ids = Array.from({ length: 10 }, (_, at) => `evt_${at}`)
    for (const id of ids) {
      await quarantine(strict, inexactOf(id))
    }
    const keys = (await strict.quarantined()).map(({ key }) => key)
    const [one, other] = [receiverOf({ inexactNumbers: 'round' }), receiverOf({ inexactNumbers: 'round' })]
    const both = await Promise.all([one.verifyAgain({}, audit), other.verifyAgain({}, audit)])
    expect(both.flatMap(({ released }) => released).sort()).toEqual(ids)
    expect(both.flatMap(({ kept }) => kept)).toEqual([])
    expect(both.flatMap(({ gone }) => gone).sort()).toEqual(keys.sort())
  })

  it('that conflict with an event stay until that is gone', async () => {
    let told = 0
    const queue = { guarantee: '', consume: async () => async () => {}, committed: () => void told++ }
    const receiver = receiverOf({ queue })
    await receiver.receive(await delivery(settled))
    told = 0
    const other = { ...settled, data: { ...settled.data, transferId: 'other' } }
    await receiver.receive(await delivery(other))
    const [{ key } = { key: '' }] = await receiver.quarantined()
    expect((await receiver.verifyAgain({ key }, audit)).kept).toEqual([{ key, code: 'event_id_conflict' }])
    expect(told, 'no event is new').toBe(0)
  })
})
