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

  it('is refused where no delivery could bring it', async () => {
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

describe('quarantined deliveries', () => {
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
    expect((await receiver.verifyAgain({ key: 'default/unknown' }, audit)).kept).toEqual([])
  })
})
