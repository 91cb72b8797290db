import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { all } from './every-right.js'
import { act, json, listen, openFilledInbox, openInbox, openWaitingInbox } from './rig.js'

const time = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const sent = 'The sender got its 200, so it does not send it again by itself.'
const undo = 'You can undo this for 10 minutes.'
const before = {
  replay: '',
  discard: `It is deleted. ${undo} ${sent}`,
  retryNow: '',
  giveUp: 'The event becomes dead. It does not run until somebody replays it.',
  edit: '',
}
const counts = { attempt: 0, failures: 0, generation: 0, bytes: expect.any(Number) }

it('shows each event of a list, and all that is known of one', async () => {
  const { receiver } = await openFilledInbox()
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  const group = (await receiver.inspect('evt_dead'))?.group
  const lastError = 'handler_failed: Error: transfer.failed evt_dead failed'
  const dead = {
    ...counts,
    id: 'evt_dead',
    type: 'transfer.failed',
    state: 'dead',
    createdAt: time,
    receivedAt: time,
    attempt: 1,
    failures: 1,
    lastError,
    group,
  }
  const done = {
    ...counts,
    id: 'evt_done',
    type: 'transfer.settled',
    state: 'done',
    createdAt: time,
    receivedAt: time,
    doneAt: time,
    attempt: 1,
  }
  expect(await json(`${api}/events`)).toEqual({ rows: [dead, done] })
  const { bytes } = await json<{ bytes: number }>(`${api}/events/evt_dead`)
  expect(bytes).toBe((await receiver.inspect('evt_dead'))?.body.byteLength)
  expect(await json(`${api}/events/evt_done`)).toEqual({
    ...done,
    explanation: expect.objectContaining({ reason: 'done', sentence: expect.stringMatching(/\.$/) }),
    audits: [],
    before: { ...before, replay: 'It was done before: its handler runs a second time.' },
  })
  expect(await json(`${api}/events/evt_dead`)).toEqual({
    ...dead,
    attempts: [{ at: time, attempt: 1, generation: 0, error: lastError, group }],
    explanation: expect.objectContaining({ reason: 'dead' }),
    audits: [],
    before,
  })
})

it('shows a failed event with its next attempt, also in a list', async () => {
  const { receiver } = await openWaitingInbox()
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  const failed = {
    ...counts,
    id: 'evt_failed',
    type: 'transfer.failed',
    state: 'failed',
    createdAt: time,
    receivedAt: time,
    retryAt: time,
    attempt: 1,
    failures: 1,
    lastError: 'handler_failed: Error: transfer.failed evt_failed failed',
    group: (await receiver.inspect('evt_failed'))?.group,
  }
  const { rows } = await json<{ rows: { id: string }[] }>(`${api}/events`)
  expect(rows.find(({ id }) => id === 'evt_failed')).toEqual(failed)
  const shown = await json<Record<string, unknown>>(`${api}/events/evt_failed`)
  expect(shown.explanation).toMatchObject({
    reason: 'waits_for_retry',
    retryAt: shown.retryAt,
    times: [shown.retryAt],
  })
  expect(shown.before).toEqual(before)
})

it('shows an event that waits for an earlier one of its resource, and a pause', async () => {
  const retry = { attempts: 5, firstPauseSeconds: 3600 }
  const { receiver, send, until } = await openInbox(undefined, {}, retry, { resource: () => 'tr_1' })
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  await send('transfer.failed', { transferId: 'tr_1' }, 'evt_first')
  await until(({ failed }) => failed === 1)
  await send('transfer.settled', { transferId: 'tr_1' }, 'evt_second')
  const row = {
    ...counts,
    id: 'evt_second',
    type: 'transfer.settled',
    state: 'accepted',
    createdAt: time,
    receivedAt: time,
    resource: 'tr_1',
  }
  expect(await json(`${api}/events?state=accepted`)).toEqual({ rows: [{ ...row, why: 'waits_for_earlier' }] })
  expect(await json(`${api}/events/evt_second`)).toEqual({
    ...row,
    explanation: {
      reason: 'waits_for_earlier',
      sentence: expect.stringContaining('evt_first'),
      earlier: 'evt_first',
      resource: 'tr_1',
      times: [],
    },
    audits: [],
    before,
  })
  await receiver.pause({ type: 'transfer.settled' }, { reason: 'too fast', actor: 'Ann' })
  expect(await json(`${api}/flow/pauses`)).toEqual([
    { type: 'transfer.settled', at: time, actor: 'Ann', reason: 'too fast' },
  ])
})

it('shows a body as text and as its bytes', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const bytes = Buffer.from((await receiver.inspect('evt_dead'))?.body as Uint8Array)
  expect(await json(`${url}/api/events/evt_dead/body`)).toEqual({
    text: bytes.toString(),
    base64: bytes.toString('base64'),
    isMasked: false,
    bytes: bytes.byteLength,
  })
  const masked = await listen(consoleHandler(receiver, { ...all, mask: ['data.transferId'] }))
  expect(await json(`${masked}/api/events/evt_dead/body`)).toEqual({
    text: bytes.toString().replace('tr_1', '•••'),
    isMasked: true,
    bytes: bytes.byteLength,
  })
})

it('answers a discard with the end of its undo, and an undo with its count', async () => {
  const { receiver } = await openFilledInbox()
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  const discarded = await json<{ undoUntil: string }>(`${api}/events/evt_dead/discard`, act('a test event'))
  expect(discarded).toEqual({ undoUntil: time })
  const gone = await json(`${api}/events/evt_dead`)
  expect(gone).toEqual({
    discard: { at: time, actor: 'operator', undoUntil: discarded.undoUntil },
    was: { type: 'transfer.failed', lastError: 'handler_failed: Error: transfer.failed evt_dead failed' },
    audits: [
      {
        id: expect.any(String),
        at: time,
        action: 'discard',
        actor: 'operator',
        reason: 'a test event',
        eventId: 'evt_dead',
      },
    ],
  })
  const back = act('needed', {}, { of: 'evt_dead', kind: 'event', seen: discarded })
  expect(await json(`${api}/undo`, back)).toEqual({ undone: 1 })
})

it('shows the processes that run events, and where events come from', async () => {
  const { receiver } = await openFilledInbox()
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  const [worker] = await receiver.workers()
  expect(await json(`${api}/workers`)).toEqual([
    {
      id: worker?.id,
      process: worker?.process,
      version: worker?.version,
      startedAt: time,
      seenAt: time,
      isLate: false,
      limitedTypes: [],
      limitedResources: [],
    },
  ])
  expect(await json(`${api}/flow/circuits`)).toEqual([])
  const { sources, isCapped } = await json<{ sources: object[]; isCapped: boolean }>(`${api}/sources`)
  const row = { lastReceivedAt: time, inLastDay: { count: 1, isCapped: false }, isSilent: false }
  expect([isCapped, sources]).toEqual([
    false,
    expect.arrayContaining([
      { ...row, type: 'transfer.settled' },
      { ...row, type: 'transfer.failed' },
    ]),
  ])
})

it('says who a person is, and what the console can do', async () => {
  const { receiver } = await openInbox()
  const me = async (options: object) =>
    json(`${await listen(consoleHandler(receiver, options as never))}/api/me`)
  const readActions = ['overview:read', 'events:read', 'bodies:read', 'audits:read']
  const features = ['audits', 'bulk', 'failures', 'flow', 'statistics']
  expect(await me({ authorize: () => true, readOnly: true, mask: ['data.a'], environment: 'test' })).toEqual({
    actions: readActions,
    features,
    isReadOnly: true,
    isMasked: true,
    environment: 'test',
  })
  expect(await me(all)).toEqual({
    actions: [
      ...readActions,
      'events:replay',
      'events:retry',
      'events:give-up',
      'events:discard',
      'events:edit',
      'deliveries:verify',
      'groups:write',
      'consumption:pause',
    ],
    features,
    actor: 'operator',
    isReadOnly: false,
    isMasked: false,
  })
})
