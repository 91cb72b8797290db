import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { Page } from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, listen, openFilledInbox } from './rig.js'

const time = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const sent = 'The sender got its 200, so it does not send it again by itself.'
const undo = 'You can undo this for 10 minutes.'
it('shows a quarantined delivery in a list and alone, with what its rejection means', async () => {
  const { receiver } = await openFilledInbox()
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  const [delivery] = await receiver.quarantined()
  const row = {
    key: delivery?.key,
    code: 'invalid_json',
    fact: expect.stringMatching(/^[A-Z].*[^.]$/),
    receivedAt: time,
    deliveries: 1,
    bytes: 7,
  }
  expect(await json(`${api}/quarantine`)).toEqual({
    rows: [row],
    causes: [{ code: 'invalid_json', count: 1, isCapped: false }],
  })
  expect(await json(`${api}/quarantine/${encodeURIComponent(delivery?.key ?? '')}`)).toEqual({
    ...row,
    advice: { cause: expect.any(String), fix: expect.any(String) },
    rejection: { code: 'invalid_json' },
    body: { text: 'no JSON', base64: 'bm8gSlNPTg==', isMasked: false, bytes: 7 },
    beforeDiscard: `This delivery is deleted. ${undo} ${sent}`,
  })
})

it('shows a delivery beside the stored event with its id', async () => {
  const { receiver, sendRaw } = await openFilledInbox()
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  const body =
    '{"id":"evt_dead","type":"transfer.failed","created_at":"2026-01-01T00:00:00Z","data":{"transferId":"tr_2"}}'
  await sendRaw(body)
  const [{ key = '' } = {}] = await receiver.quarantined({ code: 'event_id_conflict' })
  const stored = Buffer.from((await receiver.inspect('evt_dead'))?.body as Uint8Array)
  const shown = await json<Record<string, unknown>>(`${api}/quarantine/${encodeURIComponent(key)}`)
  const { kept, advice, ...rest } = shown
  expect(kept).toEqual((await json<{ rows: object[] }>(`${api}/events?id=evt_dead`)).rows[0])
  expect(advice).toEqual({ cause: expect.any(String), fix: expect.any(String) })
  expect(rest).toEqual({
    key,
    code: 'event_id_conflict',
    fact: expect.any(String),
    eventId: 'evt_dead',
    receivedAt: time,
    deliveries: 1,
    bytes: Buffer.byteLength(body),
    warnings: [],
    body: expect.objectContaining({ text: body, isMasked: false }),
    keptBody: expect.objectContaining({ text: stored.toString(), isMasked: false }),
    beforeDiscard: `This delivery is deleted. The stored event stays. ${undo} ${sent}`,
  })
  const one = await json<Record<string, unknown>>(`${api}/events/evt_dead`)
  expect(one.quarantined).toEqual({ code: 'event_id_conflict', key })
})

it('previews a check of the quarantine, and says what it did', async () => {
  const { receiver } = await openFilledInbox()
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  const [delivery] = await receiver.quarantined()
  const row = (await json<Page<object>>(`${api}/quarantine`)).rows[0]
  expect(await json(`${api}/quarantine/preview`, act('a test'))).toEqual({
    count: 1,
    isCapped: false,
    codes: [{ code: 'invalid_json', count: 1 }],
    sample: [{ ...row, rejection: { code: 'invalid_json' }, warnings: [] }],
    cursor: expect.stringMatching(/^\d+$/),
  })
  expect(await json(`${api}/quarantine/verify-again`, act('a test'))).toEqual({
    released: 0,
    kept: [{ key: delivery?.key, code: 'invalid_json', bytes: 7 }],
    gone: 0,
    unchecked: [],
  })
  const one = `${api}/quarantine/${encodeURIComponent(delivery?.key ?? '')}/verify-again`
  expect(await json(one, act('a test'))).toEqual({ outcome: 'refused', code: 'invalid_json' })
})
