import { afterAll, describe, expect, it, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret, settled } from './deliver.js'

afterAll(removeFiles)

const audit = { reason: 'a ticket', actor: 'an operator' }
const receiverOn = (store: object, over: object = {}): Receiver =>
  createReceiver({
    secret,
    now: clock,
    logger: false,
    store: store as never,
    queue: localQueue({ pollSeconds: 3600 }),
    fallback: () => {},
    ...over,
  })
const without = (part: string) => {
  const store = sqliteStore(newFile())
  return { ...store, inbox: { ...store.inbox, [part]: undefined } }
}

describe('an operation says which argument it cannot use', () => {
  const receiver = receiverOn(sqliteStore(newFile())) as unknown as Record<
    string,
    (...given: unknown[]) => Promise<unknown>
  >
  const long = 'x'.repeat(513)
  const noText = 'must be a string that is not empty'
  const length = 'must be a string of 1 to 512 characters'
  const kept = 'which is kept for auditors'

  it.each<[string, unknown[], string]>([
    ['replay', ['evt_1', {}], `replay needs a reason, ${kept}`],
    ['replay', ['evt_1', undefined], `replay needs a reason, ${kept}`],
    ['replay', ['evt_1', { reason: 'x', actor: ' ' }], `replay needs an actor, ${kept}`],
    ['replay', ['', audit], `eventId ${noText}`],
    ['replay', [7, audit], `eventId ${noText}`],
    ['replay', ['evt_1', audit, { saw: 1 }], 'saw is not an option of replay'],
    ['replay', ['evt_1', audit], 'no event evt_1 is kept'],
    ['discard', ['evt_1', {}], `discard needs a reason, ${kept}`],
    ['discard', ['', audit], `idOrKey ${noText}`],
    ['discard', ['evt_1', audit, { saw: 1 }], 'saw is not an option of discard'],
    ['discard', ['evt_1', audit, { kind: 'both' }], "kind must be 'event' or 'delivery'"],
    ['discard', ['evt_1', audit], 'no event evt_1 is kept'],
    ['inspect', [''], `eventId ${noText}`],
    ['explain', [''], `eventId ${noText}`],
    ['inspectQuarantined', [''], `key ${noText}`],
    ['list', [{ page: 1 }], 'page is not an option of list'],
    ['list', [{ id: '' }], `id ${noText}`],
    ['list', [{ allEndpoints: 'yes' }], 'allEndpoints must be a boolean'],
    [
      'list',
      [{ id: 'evt_1', allEndpoints: true }],
      'list finds an id in one endpoint, so give either id or allEndpoints',
    ],
    ['quarantined', [{ page: 1 }], 'page is not an option of quarantined'],
    ['statistics', [{ page: 1 }], 'page is not an option of statistics'],
    ['failures', [{ page: 1 }], 'page is not an option of failures'],
    ['audits', [{ page: 1 }], 'page is not an option of audits'],
    ['audits', [{ run: '' }], `run ${noText}`],
    ['acknowledgeGroup', ['', audit], `group ${noText}`],
    ['acknowledgeGroup', ['g', {}], `acknowledgeGroup needs a reason, ${kept}`],
    ['acknowledgeGroup', ['g', audit], 'acknowledgeGroup found no group g in this endpoint'],
    ['resolveGroup', ['', audit], `group ${noText}`],
    ['resolveGroup', ['g', {}], `resolveGroup needs a reason, ${kept}`],
    ['resolveGroup', ['g', audit], 'resolveGroup found no group g in this endpoint'],
    ['reopenGroup', ['', audit], `group ${noText}`],
    ['reopenGroup', ['g', {}], `reopenGroup needs a reason, ${kept}`],
    ['reopenGroup', ['g', audit], 'reopenGroup found no group g in this endpoint'],
    ['pause', [{}, {}], `pause needs a reason, ${kept}`],
    ['pause', [{ types: 'a' }, audit], 'types is not an option of pause'],
    ['pause', [{ type: '' }, audit], `type ${length}`],
    ['pause', [{ type: 7 }, audit], `type ${length}`],
    ['pause', [{ type: long }, audit], `type ${length}`],
    ['pause', [{ resource: long }, audit], `resource ${length}`],
    ['pause', [{ type: 'a', resource: 'b' }, audit], 'pause takes a type or a resource, not both'],
    ['resume', [{}, {}], `resume needs a reason, ${kept}`],
    ['resume', [{ types: 'a' }, audit], 'types is not an option of resume'],
    ['resume', [{ type: 'a', resource: 'b' }, audit], 'resume takes a type or a resource, not both'],
    ['paused', [{ page: 1 }], 'page is not an option of paused'],
    ['paused', [{ allEndpoints: 1 }], 'allEndpoints must be a boolean'],
    ['verifyAgain', [{}, {}], `verifyAgain needs a reason, ${kept}`],
    ['verifyAgain', [{ page: 1 }, audit], 'page is not an option of verifyAgain'],
    ['verifyAgain', [{ key: '' }, audit], `key ${noText}`],
    ['replayEdited', ['', {}, audit], `eventId ${noText}`],
    ['shapeChanges', [''], `eventId ${noText}`],
    ['runs', [{ page: 1 }], 'page is not an option of runs'],
    ['run', [null, audit], `plan ${noText}`],
    ['run', ['p', {}], `run needs a reason, ${kept}`],
    ['plan', [{ actions: 1 }], 'actions is not an option of plan'],
    ['plan', [{ action: 'repeat' }], 'action must be one of '],
    ['plan', [{ action: 'replay', where: { page: 1 } }], 'page is not an option of where'],
    ['plan', [{ action: 'replay', where: { endpoint: '' } }], 'a receiver plans only for its own endpoint'],
  ])('%s %j', async (verb, given, message) => {
    await expect((receiver[verb] as () => Promise<unknown>)(...(given as []))).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining(message),
    })
  })

  it('and takes the longest name', async () => {
    const target = { type: 'x'.repeat(512) }
    expect(await receiver.pause?.(target, audit)).toBe(true)
    expect(await receiver.resume?.(target, audit)).toBe(true)
  })
})

describe('an operation says what is missing', () => {
  it.each<[string, object, (receiver: Receiver) => Promise<unknown>, string]>([
    [
      'a store with bodies',
      memoryStore(),
      (r) => r.list(),
      'this needs a store that keeps bodies, such as sqliteStore()',
    ],
    ['groups', without('failures'), (r) => r.failures(), 'this store keeps no groups of failures'],
    ['statistics', without('statistics'), (r) => r.statistics(), 'this store has no statistics'],
    ['sources', without('statistics'), (r) => r.sources(), 'this store has no statistics'],
    [
      'quarantined deliveries by key',
      without('readQuarantined'),
      (r) => r.inspectQuarantined('default/x'),
      'this store reads no quarantined delivery by its key',
    ],
    [
      'flow',
      without('flow'),
      (r) => r.pause({}, audit),
      'this needs a store that can hold events back, such as sqliteStore()',
    ],
  ])('%s', async (_, store, call, message) => {
    const over = 'inbox' in store ? {} : { queue: undefined }
    await expect(call(receiverOn(store, over))).rejects.toMatchObject({
      code: 'invalid_store',
      message: `invalid_store: ${message}`,
    })
  })

  it('nothing that undo needs, where no audits are kept', async () => {
    const undone = receiverOn(without('auditLog')).undo('evt_1', audit)
    await expect(undone).rejects.toThrow('nothing was restored: nothing was discarded under it')
  })

  it('a queue', async () => {
    const receiver = receiverOn(sqliteStore(newFile()), { queue: undefined })
    const fix =
      "; fix: give createReceiver one, for example queue: localQueue() from 'webhook-inbox/queues/local'"
    await expect(receiver.replay('evt_1', audit)).rejects.toThrow(
      `replay needs a queue that runs the event${fix}`,
    )
    await expect(receiver.replayEdited('evt_1', { body: new Uint8Array() }, audit)).rejects.toThrow(
      `replayEdited needs a queue that runs the event${fix}`,
    )
    await expect(receiver.verifyAgain({}, audit)).rejects.toThrow(
      `verifyAgain needs a queue that runs what it releases${fix}`,
    )
  })
})

it('replayEdited and statistics say what they cannot use, and take what they can', async () => {
  const receiver = receiverOn(sqliteStore(newFile()))
  await receiver.receive(await delivery())
  const edit = (change: object) => receiver.replayEdited(settled.id, change as never, audit)
  await expect(edit({ body: 5 })).rejects.toThrow('body must be a string or bytes')
  await expect(edit({})).rejects.toThrow('replayEdited takes either body or data')
  await expect(edit({ body: '{}', data: {} })).rejects.toThrow('replayEdited takes either body or data')
  await expect(edit({ edit: 1 })).rejects.toThrow('edit is not an option of replayEdited')
  await expect(receiver.replayEdited('evt_missing', { data: settled.data }, audit)).rejects.toThrow(
    'no event evt_missing is kept',
  )
  const statistics = await receiver.statistics()
  expect(statistics.buckets).toHaveLength(60)
  expect(statistics.accepted).toMatchObject({ count: 1 })
  expect(Date.parse(statistics.at) - Date.parse(statistics.since)).toBeGreaterThan(3_500_000)
  const since = new Date(Date.now() - 60_000)
  const everywhere = await receiver.statistics({ since, buckets: 6, allEndpoints: true })
  expect(everywhere.buckets).toHaveLength(6)
  expect(everywhere.accepted).toMatchObject({ count: 1 })
  const hours = await receiver.statistics({ bucketSeconds: 3600, buckets: 2 })
  expect(hours.buckets.map(({ startsAt }) => Date.parse(startsAt) % 3_600_000)).toEqual([0, 0])
})

it('verifyAgain gives the queue the job of what it releases', async () => {
  const path = newFile()
  const over = { resource: () => 'tr_1' }
  const strict = receiverOn(sqliteStore(path), over)
  const inexact = JSON.stringify(settled).replace('"data":{', '"data":{"rate":0.12345678901234567890123,')
  const sent = await delivery(new TextEncoder().encode(inexact) as never)
  expect(await strict.receive(sent)).toMatchObject({ outcome: 'quarantined' })
  const enqueue = vi.fn(async () => {})
  const committed = vi.fn()
  const queue = { guarantee: '', enqueue, committed, consume: async () => async () => {} }
  const corrected = receiverOn(sqliteStore(path), { ...over, queue, inexactNumbers: 'round' })
  expect(await corrected.verifyAgain({ code: 'invalid_json' }, audit)).toEqual({
    released: [],
    kept: [],
    gone: [],
  })
  expect(enqueue).not.toHaveBeenCalled()
  expect(await corrected.verifyAgain({}, audit)).toEqual({ released: [settled.id], kept: [], gone: [] })
  const stored = await corrected.inspect(settled.id)
  const job = { key: stored?.key, type: settled.type, endpoint: 'default', generation: 0, resource: 'tr_1' }
  expect(enqueue).toHaveBeenCalledExactlyOnceWith(job, expect.anything())
  expect(committed).toHaveBeenCalledExactlyOnceWith(job)
})
