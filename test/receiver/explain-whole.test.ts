import { describe, expect, it, onTestFinished } from 'vitest'
import type { FlowStore } from '../../src/store/flow-store.js'
import type { StoredEvent } from '../../src/store/inbox.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { open } from '../stores/sqlite-rig.js'
import { settled } from './deliver.js'
import { accept, audit, conflict, operationsRig, patiently } from './operations-rig.js'

const { file, receiverOf } = operationsRig()

const limited = { types: [], resources: [] }
const beat = { endpoint: 'default', id: 'w', process: 'host:1', version: '1.0.0', limited }

async function opened() {
  const receiver = receiverOf('default')
  await accept(receiver, 'evt_1')
  const store = sqliteStore(file())
  const { key } = (await receiver.inspect('evt_1')) as StoredEvent
  const flow = store.inbox.flow as FlowStore
  /** A receiver with another flow store. */
  const withFlow = (over: Partial<FlowStore>, options: object = {}) =>
    receiverOf('default', {
      store: { ...store, inbox: { ...store.inbox, flow: { ...flow, ...over } } },
      ...options,
    })
  return { receiver, inbox: store.inbox, flow, key, withFlow }
}

/** Another process holds the write lock of the database. */
function lock() {
  const locked = open(file())
  locked.exec('BEGIN IMMEDIATE')
  onTestFinished(() => void locked.close())
}

describe('an explanation is whole for', () => {
  it('a dead event where no queue could run it again', async () => {
    const { inbox, key } = await opened()
    await inbox.markDead(key, 'given up')
    expect(await receiverOf('default', { queue: undefined }).explain('evt_1')).toStrictEqual({
      reason: 'dead',
      sentence: 'Event evt_1 is dead: given up. It runs again only when it is replayed, which needs a queue.',
      lastError: 'given up',
    })
  })

  it('an event that runs in the one process, in one of two, or where no queue reports', async () => {
    const { flow, withFlow } = await opened()
    const since = '2026-01-02T03:04:05.000Z'
    const over: Partial<FlowStore> = { claimOf: async () => ({ state: 'running', since }) }
    const running = (place: string) => ({
      reason: 'running',
      sentence: `Event evt_1 is running now: its handler started at ${since}${place}.`,
      since,
    })
    expect(await withFlow(over, { queue: undefined }).explain('evt_1')).toStrictEqual(running(''))
    await flow.beat(beat)
    expect(await withFlow(over).explain('evt_1')).toStrictEqual(running(' in the process host:1'))
    await flow.beat({ ...beat, id: 'v' })
    expect(await withFlow(over).explain('evt_1')).toStrictEqual(running(''))
  })

  it('an event without edited copies, an edited copy, and an event with more copies than it names', async () => {
    const { receiver } = await opened()
    expect(Object.keys(await receiver.explain('evt_1'))).toEqual(['reason', 'sentence'])
    const copies: string[] = []
    for (let i = 0; i < 11; i++) {
      copies.unshift(
        await receiver.replayEdited('evt_1', { data: { ...settled.data, transferId: `tr_${i}` } }, audit),
      )
    }
    const { sentence: _, ...original } = await receiver.explain('evt_1')
    expect(original).toStrictEqual({
      reason: 'no_worker',
      copies: copies.slice(0, 10),
      editedSentence: `It has 11 edited copies. The newest, ${copies[0]}, is accepted.`,
    })
    const { sentence: __, ...copy } = await receiver.explain(copies[0] as string)
    expect(copy).toStrictEqual({
      reason: 'no_worker',
      parent: 'evt_1',
      editedSentence: 'It is an edited copy of event evt_1.',
    })
  })

  it('a delivery that was in quarantine and that an operator discarded', async () => {
    const { receiver } = await opened()
    await conflict(receiver, 'evt_1')
    const [delivered] = await receiver.quarantined()
    const key = delivered?.key as string
    await receiver.discard(key, audit)
    expect(await receiver.explain(key)).toMatchObject({ reason: 'discarded', actor: audit.actor })
    await conflict(receiver, 'evt_1')
    expect(await receiver.explain(key)).toMatchObject({ reason: 'quarantined', code: 'event_id_conflict' })
  })

  it('an event whose job a queue has in a list of its own', async () => {
    const { flow } = await opened()
    await flow.beat(beat)
    const queue = { guarantee: '', consume: async () => async () => {} }
    expect(await receiverOf('default', { queue }).explain('evt_1')).toStrictEqual({
      reason: 'due',
      sentence:
        'Event evt_1 can run now. It runs when the queue reaches its job. Limits and pauses delay jobs. One process runs the events of default.',
      workers: 1,
    })
  })

  it('an event beside a handler of this process, while another process only reports', async () => {
    const { flow, receiver: first } = await opened()
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const receiver = receiverOf('default', { fallback: () => ended })
    await receiver.start()
    onTestFinished(async () => {
      end()
      await receiver.stop()
    })
    await expect.poll(async () => (await first.explain('evt_1')).reason, patiently).toBe('running')
    await accept(first, 'evt_2')
    await flow.pause({ endpoint: 'default', type: 'another' }, audit)
    await flow.beat({ ...beat, limited: { ...limited, resources: ['r'] } })
    const { sentence } = await receiver.explain('evt_2')
    expect(sentence).toMatch(/ 1 handler runs, by reports that come every \d+ s\.$/)
  })
})

describe('while another process holds the lock of the database', () => {
  it('an event without a worker is not explained, because a healthy worker could not report', async () => {
    const { receiver } = await opened()
    lock()
    await expect(receiver.explain('evt_1')).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  it('it is explained if one of two workers has reported', async () => {
    const { flow, receiver } = await opened()
    await flow.beat(beat)
    await flow.beat({ ...beat, id: 'silent' })
    const database = open(file())
    database.exec("UPDATE webhook_inbox_workers SET seen_at = seen_at - 50000 WHERE id = 'silent'")
    database.close()
    lock()
    expect(await receiver.explain('evt_1')).toMatchObject({ reason: 'due', workers: 2 })
  })

  it('it is explained by a store that cannot tell of locks', async () => {
    const { withFlow } = await opened()
    const receiver = withFlow({ checkReports: undefined } as never)
    lock()
    expect(await receiver.explain('evt_1')).toMatchObject({ reason: 'no_worker' })
    expect(await receiver.workers()).toEqual([])
  })
})
