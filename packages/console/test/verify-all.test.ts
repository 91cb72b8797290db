import { expect, it } from 'vitest'
import { StoreError } from 'webhook-inbox'
import { z } from 'zod'
import { consoleHandler } from '../src/index.js'
import type { ProblemDocument, VerificationPreview, VerifiedSome } from '../src/wire.js'
import { act, type Inbox, json, listen, openInbox, sharedStore } from './rig.js'

const rounded = (id: string) =>
  `{"id":"${id}","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}`

/** Deliveries with a number that JavaScript rounds, and one that is no JSON. The receiver accepts such numbers now. */
async function openCorrected(count: number): Promise<Inbox> {
  const makeStore = await sharedStore()
  const before = await openInbox(makeStore)
  for (let at = 0; at < count; at++) {
    await before.sendRaw(rounded(`evt_${at}`))
  }
  await before.sendRaw('no JSON')
  await before.receiver.stop()
  return openInbox(makeStore, { async 'ledger.noted'() {} }, {}, { inexactNumbers: 'round' })
}

const serve = ({ receiver }: Inbox, over: object = {}) =>
  listen(consoleHandler(receiver, { authorize: () => true, actor: () => 'operator', ...over }))

const verify = (url: string, body: object = {}) =>
  json<VerifiedSome>(`${url}/api/quarantine/verify-again`, act('numbers are rounded now', {}, body))

const preview = (url: string, body: object = {}) =>
  json<VerificationPreview>(`${url}/api/quarantine/preview`, act('', {}, body))

/** Checks all from a place on, as the page does. */
async function verifyFrom(url: string, body: { readonly code?: string; readonly cursor?: string }) {
  const parts: VerifiedSome[] = []
  let { cursor } = body
  do {
    const part = await verify(url, { ...body, cursor })
    parts.push(part)
    cursor = part.next
  } while (cursor !== undefined)
  return parts
}

it('previews a check of many deliveries, and changes nothing', async () => {
  const inbox = await openCorrected(3)
  const url = await serve(inbox)
  const shown = await preview(url)
  expect(shown).toMatchObject({ count: 4, isCapped: false, cursor: expect.any(String) })
  expect(shown.codes).toEqual([
    { code: 'invalid_data', count: 3 },
    { code: 'invalid_json', count: 1 },
  ])
  expect(shown.sample).toMatchObject([
    { code: 'invalid_json', rejection: { code: 'invalid_json' }, warnings: [] },
    { code: 'invalid_data', warnings: [expect.stringContaining('rounded')] },
    { code: 'invalid_data' },
    { code: 'invalid_data' },
  ])
  expect(shown.sample[1]).not.toHaveProperty('rejection')
  expect(shown.sample[1]).not.toHaveProperty('body')
  expect((await preview(url, { code: 'invalid_json' })).count).toBe(1)
  expect(await preview(url, { code: 'invalid_encoding' })).toEqual({
    count: 0,
    isCapped: false,
    codes: [],
    sample: [],
  })
  expect((await inbox.receiver.health()).counts.quarantined).toBe(4)
})

it('previews deliveries of every cause, the old ones too', async () => {
  const makeStore = await sharedStore()
  const before = await openInbox(makeStore)
  await before.sendRaw('no JSON')
  for (let at = 0; at < 30; at++) {
    await before.sendRaw(
      at < 15 ? rounded(`evt_${at}`) : rounded(`evt_${at}`).replace('123456', '1e999,"b":1'),
    )
  }
  const inbox = await openInbox(makeStore, {}, {}, { inexactNumbers: 'round' })
  const { sample } = await preview(await serve(inbox))
  expect(sample.map(({ code }) => code)).toEqual([...Array(9).fill('invalid_data'), 'invalid_json'])
  expect(sample.filter(({ rejection }) => rejection)).toHaveLength(5)
  expect(sample.filter(({ warnings }) => warnings.length > 0)).toHaveLength(5)
  expect(new Set(sample.map(({ key }) => key)).size).toBe(10)
})

it('says in the preview that a delivery with the id of a stored event would stay', async () => {
  const inbox = await openInbox()
  await inbox.send('transfer.settled', { transferId: 'tr_1' }, 'evt_twice')
  await inbox.send('transfer.settled', { transferId: 'tr_2' }, 'evt_twice')
  const { sample } = await preview(await serve(inbox))
  expect(sample).toMatchObject([{ rejection: { code: 'event_id_conflict' } }])
})

it('says of a valid delivery that the event with its id was discarded, and by whom', async () => {
  const inbox = await openInbox()
  await inbox.send('transfer.failed', { transferId: 'tr_1' }, 'evt_twice')
  await inbox.until(({ dead }) => dead === 1)
  await inbox.send('transfer.failed', { transferId: 'tr_2' }, 'evt_twice')
  await inbox.receiver.discard('evt_twice', { reason: 'a test', actor: 'Ann' })
  const url = await serve(inbox)
  const words = (by: string) =>
    `The event with this id was discarded${by}. If this delivery becomes an event, that discard can no longer be undone.`
  const { sample } = await preview(url)
  expect(sample).toMatchObject([{ original: words(' by Ann') }])
  expect(sample[0]).not.toHaveProperty('rejection')
  const path = `/api/quarantine/${encodeURIComponent(sample[0]?.key ?? '')}`
  expect(await json(url + path)).toMatchObject({ original: words(' by Ann') })
  const authorize = (_: unknown, action: string) => action !== 'audits:read'
  const nameless = await serve(inbox, { authorize })
  expect(await json(nameless + path)).toMatchObject({ original: words('') })
})

it('releases all deliveries of a code, part by part, with an audit of each', async () => {
  const inbox = await openCorrected(45)
  const url = await serve(inbox)
  const parts = await verifyFrom(url, { code: 'invalid_data' })
  expect(parts.length).toBeGreaterThan(2)
  expect(parts.reduce((sum, { released }) => sum + released, 0)).toBe(45)
  expect(parts.flatMap(({ kept }) => kept)).toEqual([])
  await inbox.until(({ done, quarantined }) => done === 45 && quarantined === 1)
  const audits = await inbox.receiver.audits({ limit: 100 })
  expect(audits).toHaveLength(45)
  expect(audits[0]).toMatchObject({
    action: 'verifyAgain',
    actor: 'operator',
    reason: 'numbers are rounded now',
  })
})

it('says why deliveries stay, and passes each of them once', async () => {
  const inbox = await openInbox()
  for (let at = 0; at < 30; at++) {
    await inbox.sendRaw(`no JSON ${at}`)
  }
  const kept = (await verifyFrom(await serve(inbox), {})).flatMap((part) => part.kept)
  expect(new Set(kept.map(({ key }) => key)).size).toBe(30)
  expect(kept).toHaveLength(30)
  expect(kept[0]).toMatchObject({ code: 'invalid_json', key: expect.any(String) })
  expect(await inbox.receiver.audits()).toEqual([])
})

it('logs who checked deliveries that stay, and why', async () => {
  const inbox = await openCorrected(2)
  const lines: string[] = []
  const logger = { info: (line: string) => void lines.push(line), warn() {}, error() {} }
  const url = await serve(inbox, { logger })
  const [{ key = '' } = {}] = await inbox.receiver.quarantined({ code: 'invalid_json' })
  await verify(url)
  await json(`${url}/api/quarantine/${encodeURIComponent(key)}/verify-again`, act('really?\nyes'))
  const line = (reason: string) =>
    `webhook-inbox-console: operator verified deliveries again that stay in quarantine, with the reason ${reason}: ${key} (invalid_json)`
  expect(lines).toEqual([line('"numbers are rounded now"'), line('"really?\\nyes"')])
  expect((await inbox.receiver.audits()).map(({ action }) => action)).toEqual(['verifyAgain', 'verifyAgain'])
})

it('releases the oldest first, over several parts', async () => {
  const inbox = await openCorrected(50)
  const arrived = (await inbox.receiver.quarantined({ code: 'invalid_data' })).map(({ eventId }) => eventId)
  const url = await serve(inbox)
  const parts = await verifyFrom(url, await preview(url))
  expect(parts.length).toBeGreaterThan(2)
  const released = await inbox.receiver.audits({ limit: 100 })
  const ids = released.filter(({ eventId }) => arrived.includes(eventId)).map(({ eventId }) => eventId)
  expect(ids).toEqual(arrived)
})

it('leaves out what arrives after the preview', async () => {
  const inbox = await openInbox()
  await inbox.sendRaw('no JSON')
  const url = await serve(inbox)
  const { cursor } = await preview(url)
  await inbox.sendRaw('no JSON either')
  const [part] = await verifyFrom(url, { ...(cursor !== undefined && { cursor }) })
  expect(part?.kept).toHaveLength(1)
})

it('counts what another operator released or discarded first', async () => {
  const inbox = await openCorrected(2)
  const [first] = await inbox.receiver.quarantined({ code: 'invalid_data' })
  const { receiver } = inbox
  const { cursor } = await preview(await serve(inbox))
  const racing = {
    ...receiver,
    async quarantined(query: Parameters<typeof receiver.quarantined>[0]) {
      const found = await receiver.quarantined(query)
      await receiver.discard(first?.key as string, { reason: 'a test', actor: 'operator 2' })
      return found
    },
  }
  const url = await serve({ ...inbox, receiver: racing })
  expect(await verify(url, { code: 'invalid_data', cursor })).toEqual({
    released: 1,
    kept: [],
    gone: 1,
    unchecked: [],
  })
})

it('keeps none for two operators at the same time', async () => {
  const inbox = await openCorrected(30)
  const url = await serve(inbox)
  const parts = (
    await Promise.all([verifyFrom(url, { code: 'invalid_data' }), verifyFrom(url, { code: 'invalid_data' })])
  ).flat()
  expect(parts.flatMap(({ kept }) => kept)).toEqual([])
  expect(parts.reduce((sum, { released }) => sum + released, 0)).toBe(30)
})

it('reports the part that was checked before the store failed', async () => {
  const inbox = await openCorrected(3)
  const { receiver } = inbox
  let calls = 0
  const failing = {
    ...receiver,
    async verifyAgain(...given: Parameters<typeof receiver.verifyAgain>) {
      calls += 1
      if (calls > 2) {
        throw Object.assign(new Error('the disk is full'), { name: 'StoreError', code: 'store_unavailable' })
      }
      return receiver.verifyAgain(...given)
    },
  }
  const url = await serve({ ...inbox, receiver: failing }, { logger: false })
  const part = await verify(url, { code: 'invalid_data' })
  expect(part).toMatchObject({ released: 2, next: expect.any(String) })
  const failed = await json<ProblemDocument>(
    `${url}/api/quarantine/verify-again`,
    act('again', {}, { code: 'invalid_data', cursor: part.next }),
  )
  expect(failed).toMatchObject({ code: 'store_unavailable' })
  expect((await verifyFrom(await serve(inbox), { cursor: part.next as string }))[0]).toMatchObject({
    released: 1,
  })
})

/** As `inbox`, but the check of one delivery always throws. */
function withFault({ receiver, ...inbox }: Inbox, failing: string, error: () => Error): Inbox {
  const verifyAgain: typeof receiver.verifyAgain = async (query, audit) => {
    const delivery = await receiver.inspectQuarantined(query.key ?? '')
    if (delivery?.eventId === failing) {
      throw error()
    }
    return receiver.verifyAgain(query, audit)
  }
  return { ...inbox, receiver: { ...receiver, verifyAgain } }
}

it.each([
  ['internal_error', () => new Error('lovelace'), 'The log of the program says why.'],
  ['busy', () => new StoreError('lovelace', { reason: 'busy' }), expect.stringContaining('holds a lock')],
] as const)('goes on past a delivery whose check always fails: %s', async (code, error, detail) => {
  const inbox = withFault(await openCorrected(3), 'evt_2', error)
  const url = await serve(inbox, { logger: false })
  // The newest is checked first.
  const only = { code: 'invalid_data' }
  const part = await verify(url, only)
  expect(part).toEqual({
    released: 2,
    kept: [],
    gone: 0,
    unchecked: [{ key: expect.any(String), eventId: 'evt_2', code, detail }],
  })
  expect(await verify(url, only)).toMatchObject({ released: 0, unchecked: [{ eventId: 'evt_2' }] })
  const authorize = (_: unknown, action: string) => action === 'deliveries:verify'
  const nameless = await verify(await serve(inbox, { logger: false, authorize }), only)
  expect(nameless.unchecked).toEqual([{ code }])
})

it('shows no masked value of a delivery that stays', async () => {
  const makeStore = await sharedStore()
  const data = '{"note":"lovelace","accounts":{"lovelace":12345678901234567890}}'
  await (await openInbox(makeStore)).sendRaw(
    `{"id":"evt_1","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":${data}}`,
  )
  const schemas = { 'ledger.noted': z.object({ accounts: z.record(z.string(), z.string()) }) }
  const inbox = await openInbox(makeStore, {}, {}, { inexactNumbers: 'round', schemas })
  const [open, masked] = [await serve(inbox), await serve(inbox, { mask: ['data.note'] })]
  for (const ask of [verify, preview]) {
    expect(JSON.stringify(await ask(open))).toContain('lovelace')
    expect(JSON.stringify(await ask(masked))).not.toContain('lovelace')
  }
})

it('rejects a cursor or a code that no page gives', async () => {
  const url = await serve(await openInbox())
  for (const body of [{ cursor: 'x' }, { cursor: 1.5 }, { code: 'no_code' }, { code: 7 }]) {
    const response = await fetch(`${url}/api/quarantine/verify-again`, act('a test', {}, body))
    expect([body, response.status]).toEqual([body, 422])
  }
})

it('names no delivery without the right to read events', async () => {
  const inbox = await openCorrected(3)
  const authorize = (_: unknown, action: string) => action === 'deliveries:verify'
  const url = await serve(inbox, { authorize })
  const shown = await preview(url)
  expect(shown).toMatchObject({ count: 4, sample: [] })
  expect(await verify(url, { cursor: shown.cursor })).toEqual({
    released: 3,
    kept: [{ code: 'invalid_json' }],
    gone: 0,
    unchecked: [],
  })
})

/** Checks the first part of what a preview said. */
const verifyShown = async (url: string, shown: unknown, code = '') =>
  fetch(`${url}/api/quarantine/verify-again`, act('a test', {}, { code, shown }))

it('starts no check of many deliveries where others match than the preview said', async () => {
  const inbox = await openCorrected(3)
  const url = await serve(inbox)
  const shown = await preview(url)
  // What arrives later is not part of it.
  await inbox.sendRaw('no JSON either')
  const [{ key = '' } = {}] = await inbox.receiver.quarantined({ code: 'invalid_data' })
  await inbox.receiver.discard(key, { reason: 'a test', actor: 'operator 2' }, { kind: 'delivery' })
  const cursor = shown.cursor
  const start = (body: object) =>
    fetch(`${url}/api/quarantine/verify-again`, act('a test', {}, { cursor, ...body }))
  const refused = await start({ shown })
  expect([refused.status, await refused.json()]).toMatchObject([
    409,
    { code: 'preview_changed', detail: expect.stringContaining('4 matched then, and 3 match now') },
  ])
  expect((await inbox.receiver.health()).counts.quarantined).toBe(4)
  const again = await preview(url, { cursor })
  expect(again.count).toBe(3)
  expect(await (await start({ shown: again })).json()).toMatchObject({ released: 2 })
  for (const wrong of ['x', {}, { codes: [] }]) {
    expect((await start({ shown: wrong })).status).toBe(422)
  }
})

it('starts no check where it says something else of a delivery than the preview did', async () => {
  const makeStore = await sharedStore()
  const before = await openInbox(makeStore)
  await before.sendRaw(rounded('evt_1'))
  const shown = await preview(await serve(before))
  expect(shown.sample).toMatchObject([{ rejection: { code: 'invalid_data' } }])
  const now = await serve(await openInbox(makeStore, {}, {}, { inexactNumbers: 'round' }))
  const refused = await verifyShown(now, shown)
  expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'preview_changed' }])
  expect((await verifyShown(now, await preview(now))).status).toBe(200)
})

it('checks deliveries of a function that throws only sometimes', async () => {
  const makeStore = await sharedStore()
  await (await openInbox(makeStore)).sendRaw(rounded('evt_1'))
  let throws = true
  const resource = () => {
    if (throws) {
      throw new Error('no resource')
    }
    return 'one'
  }
  const inbox = await openInbox(makeStore, {}, {}, { inexactNumbers: 'round', resource })
  const url = await serve(inbox, { logger: false })
  const shown = await preview(url)
  expect(shown.sample).toMatchObject([{ rejection: { code: 'handler_failed' } }])
  throws = false
  expect((await verifyShown(url, shown)).status).toBe(200)
})
