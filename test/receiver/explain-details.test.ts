import { describe, expect, it } from 'vitest'
import type { Receiver } from '../../src/receiver.js'
import type { FlowStore } from '../../src/store/flow-store.js'
import type { StoredEvent } from '../../src/store/inbox.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { open } from '../stores/sqlite-rig.js'
import { settled } from './deliver.js'
import { accept, audit, conflict, operationsRig } from './operations-rig.js'

const { file, receiverOf } = operationsRig()

const opened = async (over: object = {}) => {
  const receiver = receiverOf('default', over)
  await accept(receiver, 'evt_1')
  const store = sqliteStore(file())
  const { key } = (await receiver.inspect('evt_1')) as StoredEvent
  return { receiver, store, inbox: store.inbox, flow: store.inbox.flow as FlowStore, key }
}

const database = (sql: string) => {
  const opened = open(file())
  opened.exec(sql)
  opened.close()
}

/** All but the sentence, which test/queues/explain-sentences.test.ts holds. */
async function detailsOf(receiver: Receiver, id = 'evt_1') {
  const { sentence, ...details } = await receiver.explain(id)
  expect(sentence).toContain(id)
  return details
}

describe('an explanation has the details of', () => {
  it('an event that is done or dead', async () => {
    const { receiver, store, inbox, key } = await opened()
    await inbox.markDead(key, 'given up')
    expect(await detailsOf(receiver)).toEqual({ reason: 'dead', lastError: 'given up' })
    database("UPDATE webhook_inbox_events SET last_error = ''")
    expect(await receiver.explain('evt_1')).toEqual({
      reason: 'dead',
      sentence: 'Event evt_1 is dead. It runs again only when it is replayed.',
    })
    database("UPDATE webhook_inbox_events SET state = 'done', done_at = 1000")
    expect(await detailsOf(receiver)).toEqual({ reason: 'done', doneAt: '1970-01-01T00:00:01.000Z' })
    const { doneAt, ...stored } = (await receiver.inspect('evt_1')) as StoredEvent
    const other = { ...store, inbox: { ...inbox, read: async () => stored } }
    expect(await receiverOf('default', { store: other }).explain('evt_1')).toEqual({
      reason: 'done',
      sentence: 'Event evt_1 is done.',
    })
  })

  it('an event that is running, with the start and the end of its claim if the store knows them', async () => {
    const [start, end] = ['2026-01-02T03:04:05.000Z', '2026-01-02T03:05:05.000Z']
    const beat = { endpoint: 'default', id: 'w', process: 'host:1', version: '1.0.0' }
    for (const [times, isReported, reason, sentence] of [
      [
        { until: end },
        true,
        'running',
        `in the process host:1. If that process ends, the event can run again at ${end}.`,
      ],
      [{ since: start }, true, 'running', `: its handler started at ${start} in the process host:1.`],
      [{}, false, 'stalled', 'may not run any more. No process has reported for 45 s.'],
    ] as const) {
      const { store } = await opened()
      if (isReported) {
        await store.inbox.flow?.beat({ ...beat, limited: { types: [], resources: [] } })
      }
      const flow = { ...store.inbox.flow, claimOf: async () => ({ state: 'running', ...times }) }
      const receiver = receiverOf('default', { store: { ...store, inbox: { ...store.inbox, flow } } })
      expect(await detailsOf(receiver)).toEqual({ reason, ...times })
      expect((await receiver.explain('evt_1')).sentence).toContain(sentence)
      database('DELETE FROM webhook_inbox_events; DELETE FROM webhook_inbox_workers')
    }
  })

  it('an event that is dead, and for how long a handler that timed out still holds it', async () => {
    const { receiver, store, inbox, key } = await opened()
    await inbox.markDead(key, 'handler_timeout')
    const until = '2026-01-02T03:05:05.000Z'
    for (const [claim, held, words] of [
      [{ until }, { until }, `it is replayed. A handler that timed out still holds it, until ${until}.`],
      [{}, {}, 'it is replayed.'],
    ] as const) {
      const flow = { ...inbox.flow, claimOf: async () => ({ state: 'running', ...claim }) }
      const other = receiverOf('default', { store: { ...store, inbox: { ...inbox, flow } } })
      const { sentence, ...details } = await other.explain('evt_1')
      expect(details).toEqual({ reason: 'dead', lastError: 'handler_timeout', ...held })
      expect(sentence.endsWith(words)).toBe(true)
    }
    expect(await detailsOf(receiver)).not.toHaveProperty('until')
  })

  it('an event that is retried, until it is due', async () => {
    const { receiver, inbox, key } = await opened()
    await inbox.postpone(key, 3600, 'Error: refused')
    const { retryAt } = (await receiver.inspect('evt_1')) as StoredEvent
    expect(await detailsOf(receiver)).toEqual({
      reason: 'waits_for_retry',
      retryAt,
      lastError: 'Error: refused',
    })
    await inbox.postpone(key, 3600, '')
    expect(await detailsOf(receiver)).not.toHaveProperty('lastError')
    database('UPDATE webhook_inbox_events SET due_at = 1000')
    expect(await detailsOf(receiver)).toEqual({ reason: 'no_worker' })
  })

  it('an event that waits for an earlier one, but only of its resource', async () => {
    const { receiver } = await opened({ resource: () => 'r' })
    await accept(receiver, 'evt_2')
    expect(await detailsOf(receiver, 'evt_2')).toEqual({
      reason: 'waits_for_earlier',
      earlier: 'evt_1',
      resource: 'r',
    })
    const without = receiverOf('default')
    await accept(without, 'evt_3')
    expect(await detailsOf(without, 'evt_3')).toEqual({ reason: 'no_worker' })
  })

  it('an event whose type has an open circuit, and no other type', async () => {
    const { receiver, flow } = await opened()
    const rule = { failures: 1, retryAfterSeconds: 60 }
    await flow.countFailure('default', 'another', 'x', rule)
    expect(await detailsOf(receiver)).toEqual({ reason: 'no_worker' })
    await flow.countFailure('default', settled.type, 'x', { ...rule, failures: 5 })
    expect(await detailsOf(receiver)).toEqual({ reason: 'no_worker' })
    await flow.countFailure('default', settled.type, 'x', rule)
    expect(await detailsOf(receiver)).toEqual({
      reason: 'circuit_open',
      type: settled.type,
      failures: 2,
      retryAt: expect.any(String),
    })
  })

  it('an event or a resource at its limit in another process', async () => {
    const { receiver, flow } = await opened({ resource: () => 'r' })
    const beat = (limited: { types: string[]; resources: string[] }) =>
      flow.beat({ endpoint: 'default', id: 'w', process: 'host:1', version: '1.0.0', limited })
    await beat({ types: ['another'], resources: ['another'] })
    expect(await detailsOf(receiver)).toEqual({ reason: 'due', workers: 1 })
    await beat({ types: [], resources: ['r'] })
    expect(await detailsOf(receiver)).toEqual({ reason: 'rate_limited', resource: 'r' })
    await beat({ types: [settled.type], resources: ['r'] })
    expect(await detailsOf(receiver)).toEqual({ reason: 'rate_limited', type: settled.type })
  })

  it('an event that one of two processes can run, when the other has not reported for long', async () => {
    const { receiver, flow } = await opened()
    const limited = { types: [], resources: [] }
    for (const id of ['v', 'w']) {
      await flow.beat({ endpoint: 'default', id, process: 'host:1', version: '1.0.0', limited })
    }
    database(`UPDATE webhook_inbox_workers SET seen_at = ${Date.now() - 50_000} WHERE id = 'v'`)
    expect((await receiver.explain('evt_1')).sentence).toContain('2 processes run the events')
  })

  it.each([
    [1, 'Its last attempt left nothing: the process ended or lost its claim.'],
    [3, 'Its last 3 attempts left nothing: the process ended or lost its claim.'],
  ])('an event of which %d attempts left nothing, while it is open', async (lost, lostSentence) => {
    const { receiver } = await opened()
    expect(await receiver.explain('evt_1')).not.toHaveProperty('lostAttempts')
    database(`UPDATE webhook_inbox_events SET attempt = ${lost}`)
    expect(await receiver.explain('evt_1')).toMatchObject({
      reason: 'no_worker',
      lostAttempts: lost,
      lostSentence,
    })
    database("UPDATE webhook_inbox_events SET state = 'dead'")
    expect(await receiver.explain('evt_1')).not.toHaveProperty('lostAttempts')
  })

  it('an event that was never accepted', async () => {
    const { receiver, inbox } = await opened()
    expect(await detailsOf(receiver, 'evt_none')).toEqual({ reason: 'unknown' })
    const bad = { endpoint: 'default', eventId: 'evt_bad', body: new Uint8Array([1]) }
    const bodyHash = 'f'.repeat(64)
    await inbox.quarantine({ ...bad, bodyHash, code: 'invalid_json' })
    const quarantined = { reason: 'quarantined', code: 'invalid_json' }
    expect(await detailsOf(receiver, 'evt_bad')).toEqual(quarantined)
    expect(await detailsOf(receiver, `default/${bodyHash}`)).toEqual(quarantined)
    // A sender chose the key of a delivery as the id of an event.
    const other = { ...bad, eventId: `default/${bodyHash}`, bodyHash: 'e'.repeat(64) }
    await inbox.quarantine({ ...other, code: 'invalid_envelope' })
    expect(await detailsOf(receiver, `default/${bodyHash}`)).toEqual({
      reason: 'quarantined',
      code: 'invalid_envelope',
    })
  })

  it('an event whose id has a conflict, and that was accepted and pruned', async () => {
    const { receiver, inbox } = await opened()
    await conflict(receiver, 'evt_1')
    database('DELETE FROM webhook_inbox_events')
    expect(await receiver.explain('evt_1')).toEqual({
      reason: 'quarantined',
      code: 'event_id_conflict',
      sentence:
        'Event evt_1 is not kept any more. A delivery with its id and other content is in quarantine because of event_id_conflict.',
    })
    const [delivery] = await inbox.quarantined({ endpoint: 'default' })
    expect((await receiver.explain(delivery?.key as string)).sentence).not.toContain('kept any more')
  })

  it('an event that is dead or was discarded, beside a delivery with its id in quarantine', async () => {
    const { receiver, inbox, key } = await opened()
    await inbox.markDead(key, 'given up')
    await conflict(receiver, 'evt_1')
    const beside = 'A delivery with its id and other content is in quarantine because of event_id_conflict.'
    const dead = await receiver.explain('evt_1')
    expect(dead).toMatchObject({ reason: 'dead', alsoQuarantined: 'event_id_conflict' })
    expect(dead.sentence).toContain(beside)
    await receiver.discard('evt_1', audit)
    const [seen] = await receiver.undoable('evt_1')
    const discarded = await receiver.explain('evt_1')
    expect(discarded).toMatchObject({
      reason: 'discarded',
      undoUntil: seen?.undoUntil,
      alsoQuarantined: 'event_id_conflict',
    })
    expect(discarded.sentence).toMatch(new RegExp(`discarded by .* ${beside}`))
    const [delivery] = await inbox.quarantined({ endpoint: 'default' })
    expect(await receiver.explain(delivery?.key as string)).toMatchObject({ reason: 'quarantined' })
    await receiver.undo('evt_1', audit)
    expect((await receiver.explain('evt_1')).reason).toBe('dead')
  })

  it('an event that was discarded so long ago that it may have been delivered again, and pruned', async () => {
    const { receiver, inbox, key } = await opened({ undoSeconds: 0 })
    await inbox.markDead(key, 'given up')
    await receiver.discard('evt_1', audit)
    const since = 'If it was delivered again since, it was processed and then pruned.'
    const daysAgo = (days: number) =>
      database(`UPDATE webhook_inbox_audits SET at = ${Date.now() - days * 86_400_000}`)
    daysAgo(29.9)
    expect((await receiver.explain('evt_1')).sentence).toMatch(/its window for undo has ended\.$/)
    daysAgo(30.1)
    expect((await receiver.explain('evt_1')).sentence).toContain(`its window for undo has ended. ${since}`)
  })

  it('an event that was discarded, and of no other', async () => {
    const { receiver, store, inbox, key } = await opened()
    await inbox.markDead(key, 'given up')
    await receiver.discard('evt_1', audit)
    expect(await detailsOf(receiver)).toEqual({
      reason: 'discarded',
      discardedAt: expect.any(String),
      undoUntil: expect.any(String),
      actor: audit.actor,
    })
    expect(await detailsOf(receiver, 'evt_none')).toEqual({ reason: 'unknown' })
    const brief = receiverOf('default', { store: { ...store, inbox: { ...inbox, bulk: undefined } } })
    expect(await detailsOf(brief)).toEqual({
      reason: 'discarded',
      discardedAt: expect.any(String),
      actor: audit.actor,
    })
  })
})
