import { describe, expect, it } from 'vitest'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { open } from '../stores/sqlite-rig.js'
import { delivery, secret } from './deliver.js'
import { accept, audit, conflict, invalid, operationsRig } from './operations-rig.js'

const { file, receiverOf } = operationsRig()

describe('the operations of a receiver', () => {
  it('cover its own endpoint, or all with allEndpoints', async () => {
    const [one, two] = [receiverOf('one'), receiverOf('two')]
    for (const receiver of [one, two]) {
      await accept(receiver, 'evt_1')
      await conflict(receiver, 'evt_1')
    }
    const endpoints = async (list: Promise<readonly { endpoint: string }[]>) =>
      (await list).map(({ endpoint }) => endpoint).sort()
    expect(await endpoints(one.list())).toEqual(['one'])
    expect(await endpoints(one.list({ allEndpoints: undefined }))).toEqual(['one'])
    expect(await endpoints(one.list({ allEndpoints: false, state: 'accepted' }))).toEqual(['one'])
    expect(await endpoints(one.list({ allEndpoints: true }))).toEqual(['one', 'two'])
    expect(await endpoints(two.quarantined())).toEqual(['two'])
    expect(await endpoints(two.quarantined({ limit: 10 }))).toEqual(['two'])
    expect(await endpoints(two.quarantined({ allEndpoints: true }))).toEqual(['one', 'two'])
    expect(await two.quarantined({ limit: 1, allEndpoints: true })).toHaveLength(1)
    expect(await one.inspect('evt_1')).toMatchObject({ endpoint: 'one', id: 'evt_1' })
    expect(await one.inspect('evt_2')).toBeUndefined()
  })

  it('list the events of a state in pages', async () => {
    const receiver = receiverOf('pages')
    for (const id of ['evt_1', 'evt_2', 'evt_3']) {
      await accept(receiver, id)
    }
    const [first] = await receiver.list({ limit: 1 })
    expect(first?.id).toBe('evt_1')
    const rest = await receiver.list({ after: first?.key })
    expect(rest.map(({ id }) => id)).toEqual(['evt_2', 'evt_3'])
    expect(await receiver.list({ state: 'done' })).toEqual([])
    expect((await receiver.list({ id: 'evt_2' })).map(({ id }) => id)).toEqual(['evt_2'])
    expect(await receiver.list({ id: 'evt_2', state: 'done' })).toEqual([])
    expect(await receiverOf('elsewhere').list({ id: 'evt_2' })).toEqual([])
  })

  it('reject a page after an event that is gone, because the list would seem to end', async () => {
    const receiver = receiverOf('gone')
    await accept(receiver, 'evt_1')
    await accept(receiver, 'evt_2')
    const [first] = await receiver.list({ limit: 1 })
    const database = open(file())
    database.exec("DELETE FROM webhook_inbox_events WHERE id = 'evt_1'")
    database.close()
    await expect(receiver.list({ after: first?.key })).rejects.toMatchObject(invalid)
  })

  it('prune any number of done events and quarantined deliveries, and count both', async () => {
    let [done, quarantined] = [2500, 1200]
    const limits = new Set<number>()
    const dates: Date[] = []
    const take = (left: number, limit: number) => {
      limits.add(limit)
      return Math.min(left, limit)
    }
    const store = sqliteStore(file())
    const receiver = receiverOf('prune', {
      store: {
        ...store,
        async prune(before: Date, limit: number) {
          dates.push(before)
          const count = take(done, limit)
          done -= count
          return count
        },
        inbox: {
          ...store.inbox,
          async pruneQuarantine(seconds: number, limit: number) {
            expect(seconds).toBe(30 * 86_400)
            const count = take(quarantined, limit)
            quarantined -= count
            return count
          },
        },
      },
      retentionSeconds: 30 * 86_400,
    })
    expect(await receiver.prune()).toBe(3700)
    expect([done, quarantined]).toEqual([0, 0])
    expect(Date.now() - (dates[0]?.getTime() ?? 0)).toBeGreaterThanOrEqual(30 * 86_400_000)
    expect(Date.now() - (dates[0]?.getTime() ?? 0)).toBeLessThan(31 * 86_400_000)
  })

  it('prune a store without what other stores keep', async () => {
    const store = sqliteStore(file())
    const inbox = { ...store.inbox, bulk: undefined, failures: undefined, flow: undefined }
    const receiver = receiverOf('prune', { store: { ...store, inbox } })
    expect(await receiver.prune()).toBe(0)
  })

  it('list quarantined deliveries by their code, in pages, with or without bodies', async () => {
    const receiver = receiverOf('pages')
    await accept(receiver, 'evt_1')
    await conflict(receiver, 'evt_1')
    for (const body of ['{', '[']) {
      await receiver.receive(await delivery(body))
    }
    const query = { code: 'invalid_json', limit: 1, bodies: false } as const
    const [first] = await receiver.quarantined(query)
    expect(first).toMatchObject({ code: 'invalid_json' })
    expect(first?.body).toHaveLength(0)
    const rest = await receiver.quarantined({ ...query, limit: 10, after: first?.place })
    expect(rest.map(({ code }) => code)).toEqual(['invalid_json'])
    expect(await receiver.quarantined({ code: 'event_id_conflict', allEndpoints: true })).toHaveLength(1)
  })

  it('count the events of the store', async () => {
    const receiver = receiverOf('health')
    await accept(receiver, 'evt_1')
    await conflict(receiver, 'evt_1')
    expect((await receiver.health()).counts).toMatchObject({ accepted: 1, quarantined: 1 })
  })

  it.each<[string, (receiver: Receiver) => Promise<unknown>, string?]>([
    ['list of no object', (receiver) => receiver.list('dead' as never)],
    ['list of another endpoint', (receiver) => receiver.list({ endpoint: 'b' } as never), 'unknown_option'],
    [
      'list of an endpoint that is undefined and a misspelling',
      (receiver) => receiver.list({ states: 'dead' } as never),
      'unknown_option',
    ],
    ['list of an unknown state', (receiver) => receiver.list({ state: 'gone' as never })],
    ['list with a limit that is no whole number', (receiver) => receiver.list({ limit: 1.5 })],
    ['list after no string', (receiver) => receiver.list({ after: 7 as never })],
    ['list of all endpoints by a string', (receiver) => receiver.list({ allEndpoints: 'true' as never })],
    ['quarantined by a number', (receiver) => receiver.quarantined(100 as never)],
    ['quarantined with a limit below zero', (receiver) => receiver.quarantined({ limit: -1 })],
    ['inspect of no string', (receiver) => receiver.inspect(['evt_1'] as never)],
    ['inspectQuarantined of no string', (receiver) => receiver.inspectQuarantined(7 as never)],
    ['inspect of nothing', (receiver) => receiver.inspect('')],
    ['replay of no string', (receiver) => receiver.replay({} as never, audit)],
    ['replay of an unknown event', (receiver) => receiver.replay('evt_0', audit), 'event_not_found'],
    ['replay without an audit', (receiver) => receiver.replay('evt_1', undefined as never)],
    ['replay without a reason', (receiver) => receiver.replay('evt_1', { ...audit, reason: ' ' })],
    [
      'replay with a reason that nobody can see',
      (receiver) => receiver.replay('evt_1', { ...audit, reason: ' \u200b\u00ad\u2060' }),
    ],
    ['replay without an actor', (receiver) => receiver.replay('evt_1', { reason: 'a' } as never)],
    [
      'replay by an actor that is no string',
      (receiver) => receiver.replay('evt_1', { ...audit, actor: 7 as never }),
    ],
    ['discard of no string', (receiver) => receiver.discard(7 as never, audit)],
    ['discard of an unknown event', (receiver) => receiver.discard('evt_0', audit), 'event_not_found'],
    ['discard without a reason', (receiver) => receiver.discard('evt_1', { ...audit, reason: '' })],
    ['discard without an actor', (receiver) => receiver.discard('evt_1', { reason: 'a' } as never)],
  ])('reject %s', async (_, run, code = 'invalid_option') => {
    const receiver = receiverOf('refusals')
    await accept(receiver, 'evt_1')
    await expect(run(receiver)).rejects.toMatchObject({ name: 'ConfigurationError', code })
    expect(await receiver.inspect('evt_1')).toMatchObject({ state: 'accepted', generation: 0 })
  })

  it('reject a replay without a queue, and everything on a store without an inbox', async () => {
    await expect(receiverOf('none', { queue: undefined }).replay('evt_1', audit)).rejects.toMatchObject(
      invalid,
    )
    const receiver = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
    for (const run of [
      () => receiver.list(),
      () => receiver.inspect('evt_1'),
      () => receiver.quarantined(),
      () => receiver.inspectQuarantined('default/a'),
      () => receiver.discard('evt_1', audit),
      () => receiver.health(),
    ]) {
      await expect(run()).rejects.toMatchObject({ code: 'invalid_store' })
    }
    expect(await receiver.prune()).toBe(0)
  })
})
