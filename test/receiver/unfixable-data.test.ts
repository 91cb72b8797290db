import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, secret, settled } from './deliver.js'

const unhandled = vi.fn()

afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 5))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
  unhandled.mockReset()
  removeFiles()
})

const base = { secret, now: clock, logger: false } as const

describe('data that no retry can fix', () => {
  const bad = { ...settled, data: { status: 'settled' } }

  it('is dead immediately on a store that keeps bodies', async () => {
    const store = sqliteStore(newFile()) as Store<unknown>
    const fallback = vi.fn()
    const logger = lines()
    const receiver = createReceiver({ ...base, logger, store, fallback })
    for (let i = 0; i < 2; i++) {
      expect(await receiver.receive(await delivery(bad))).toMatchObject({
        status: 200,
        outcome: 'quarantined',
        code: 'invalid_data',
        eventId: 'evt_1',
        detail:
          'data.transferId (missing; expected string), data.rail (missing; expected string), data.ledgerState (missing; expected "matched")',
      })
    }
    expect(fallback).not.toHaveBeenCalled()
    expect(await receiver.list({ state: 'dead' })).toMatchObject([
      {
        id: 'evt_1',
        lastError:
          'invalid_data: data.transferId (missing; expected string), data.rail (missing; expected string), data.ledgerState (missing; expected "matched")',
      },
    ])
    expect(logger.written).toHaveLength(1)
    expect(logger.written[0]).toContain(
      'event evt_1 (transfer.settled) is dead: invalid_data: data.transferId',
    )
    expect(logger.written[0]).toContain('; a replay needs a queue such as localQueue(); see ')
    expect((await receiver.explain('evt_1')).sentence).toContain(
      'It runs again only when it is replayed, which needs a queue.',
    )
    await store.close()
  })

  it('gets no advice about a queue where there is one', async () => {
    const logger = lines()
    const options = { ...base, logger, queue: localQueue({ retry: { attempts: 1 } }), fallback: () => {} }
    const receiver = createReceiver({ ...options, store: sqliteStore(newFile()) as Store<unknown> })
    await receiver.start()
    await receiver.receive(await delivery(bad))
    await expect
      .poll(() => logger.written.join())
      .toContain('event evt_1 (transfer.settled) is dead: invalid_data: data.transferId')
    expect(logger.written.at(-1)).toContain('fix: correct the schema and replay the event')
    expect(logger.written.at(-1)).not.toContain('queue')
    await receiver.stop()
  })

  it('runs again on the way that the refusal names', async () => {
    const store = sqliteStore(newFile())
    const options = { ...base, store, fallback: () => {} }
    await createReceiver(options).receive(await delivery(bad))
    const ran = vi.fn()
    const receiver = createReceiver({
      ...base,
      store,
      queue: localQueue({ pollSeconds: 0.05 }),
      schemas: { 'transfer.settled': z.object({ status: z.string() }) },
      handlers: { 'transfer.settled': ran },
    })
    await receiver.start()
    await receiver.replay('evt_1', { reason: 'schema corrected', actor: 'test' })
    await vi.waitUntil(() => ran.mock.calls.length === 1)
    await receiver.stop()
  })

  it('is 400 on any other store, and never runs', async () => {
    const fallback = vi.fn()
    const receiver = createReceiver({ ...base, store: memoryStore(), fallback })
    expect(await receiver.receive(await delivery(bad))).toMatchObject({ status: 400, code: 'invalid_data' })
    expect(fallback).not.toHaveBeenCalled()
  })

  it('runs after the schema is corrected and the event is replayed', async () => {
    const store = sqliteStore(newFile()) as Store<unknown>
    const strict = createReceiver({ ...base, store, fallback: () => {} })
    await strict.receive(await delivery(bad))
    const ran = vi.fn()
    const queue = { guarantee: 'none', consume: async () => async () => {} }
    const lenient = createReceiver({
      ...base,
      store,
      queue: queue as never,
      fallback: ran,
      schemas: {
        'transfer.settled': { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
      },
    })
    expect(await lenient.replay('evt_1', { reason: 'schema corrected', actor: 'test' })).toBe(1)
    expect(await lenient.list({ state: 'accepted' })).toMatchObject([{ id: 'evt_1', generation: 1 }])
    await store.close()
  })

  it('is named by inspectQuarantined, by the options that the receiver has now', async () => {
    const store = sqliteStore(newFile()) as Store<unknown>
    const receiver = createReceiver({ ...base, store, fallback: () => {} })
    const { createdAt: _, ...undated } = settled
    await receiver.receive(await delivery(undated))
    await receiver.receive(await delivery(settled))
    await receiver.receive(await delivery({ ...settled, data: { ...settled.data, transferId: 'other' } }))
    const reasons = async (shown: typeof receiver) => {
      const found = await receiver.quarantined()
      const each = await Promise.all(found.map(({ key }) => shown.inspectQuarantined(key)))
      return each.map((delivery) => [delivery?.code, delivery?.rejection])
    }
    const undatedOne = [
      'invalid_envelope',
      { code: 'invalid_envelope', detail: expect.stringContaining('createdAt') },
    ]
    expect(await reasons(receiver)).toEqual([['event_id_conflict', undefined], undatedOne])
    const broken = createReceiver({
      ...base,
      store,
      fallback: () => {},
      schemas: {
        'transfer.settled': {
          '~standard': {
            version: 1,
            vendor: 'test',
            validate() {
              throw new Error('no schema')
            },
          },
        },
      },
    })
    expect(await reasons(broken)).toMatchObject([
      ['event_id_conflict', { code: 'handler_failed', detail: 'in the schema of transfer.settled' }],
      undatedOne,
    ])
    await store.close()
  })

  it('is kept before the response if it does not parse', async () => {
    const store = sqliteStore(newFile()) as Store<unknown>
    const receiver = createReceiver({ ...base, store, fallback: () => {} })
    expect(await receiver.receive(await delivery('{'))).toMatchObject({ outcome: 'quarantined' })
    expect(await receiver.quarantined()).toMatchObject([{ code: 'invalid_json', deliveries: 1 }])
    await store.close()
  })

  it('is not acknowledged if it cannot be kept', async () => {
    const store = sqliteStore(newFile()) as Store<unknown>
    const inbox = store.inbox as NonNullable<Store<unknown>['inbox']>
    const down = () => Promise.reject(new Error('disk full'))
    const failing = { ...store, inbox: { ...inbox, quarantine: down, acceptDead: down } }
    const receiver = createReceiver({ ...base, store: failing, fallback: () => {} })
    expect(await receiver.receive(await delivery('{'))).toMatchObject({
      status: 503,
      code: 'store_unavailable',
    })
    expect(await receiver.receive(await delivery(bad))).toMatchObject({
      status: 503,
      code: 'store_unavailable',
    })
    await store.close()
  })

  it('is neither acknowledged nor kept while the check of the store fails', async () => {
    const store = sqliteStore(newFile()) as Store<unknown>
    const check = () => Promise.reject(new Error('not migrated'))
    const receiver = createReceiver({ ...base, store: { ...store, check }, fallback: () => {} })
    for (const body of ['{', bad]) {
      expect(await receiver.receive(await delivery(body))).toMatchObject({
        status: 503,
        code: 'store_unavailable',
      })
    }
    expect(await receiver.quarantined()).toEqual([])
    expect(await receiver.list()).toEqual([])
    await store.close()
  })

  it('is rejected when the quarantine is full', async () => {
    const store = sqliteStore(newFile()) as Store<unknown>
    const inbox = store.inbox as NonNullable<Store<unknown>['inbox']>
    const full = { ...store, inbox: { ...inbox, quarantine: async () => ({ state: 'full' }) as const } }
    const receiver = createReceiver({ ...base, store: full, fallback: () => {} })
    expect(await receiver.receive(await delivery('{'))).toMatchObject({
      status: 400,
      code: 'invalid_json',
      detail: 'the quarantine is full',
    })
    await store.close()
  })
})
