import { createRequire } from 'node:module'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { HandlerContext, Handlers } from '../../src/dispatch/handlers.js'
import type { KnownEvents, TransferSettled } from '../../src/event/catalog.js'
import type { WebhookEvent } from '../../src/event/event.js'
import { type Conflict, type OrderRules, ordered } from '../../src/ordering/ordered.js'
import { createReceiver } from '../../src/receiver.js'
import type { ReceiveResult } from '../../src/result.js'
import { memoryStore } from '../../src/stores/memory.js'
import type { SqliteDatabase } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { shuffle } from '../../src/testing/shuffle.js'
import { randomNumbers } from '../event/random.js'
import { sqliteStates } from './order-tables.js'
import { type Event, type Transfer, transfers } from './transfer-events.js'

const Database = createRequire(import.meta.url)('libsql') as new (path: string) => SqliteDatabase

const eventOf = (id: string, transferId: string, status: string) =>
  ({ id, type: 'transfer.moved', data: { transferId, status } }) as Event

/** An ordered handler on a table, with a journal of its runs. */
function rig() {
  const table = sqliteStates(new Database(':memory:'))
  const journal: string[] = []
  const warnings: string[] = []
  const rules: OrderRules<Transfer> = {
    lifecycle: transfers,
    resource: ({ data }) => data.transferId,
    state: ({ data }) => data.status,
    states: table.states,
    onConflict({ resource, current, incoming }) {
      journal.push(`${current} against ${incoming}`)
      table.dispute(resource)
    },
  }
  const context = { warn: (warning: string) => void warnings.push(warning) } as HandlerContext
  let fault: Error | undefined
  const handler = ordered(rules, (event: Event) => {
    if (fault) {
      throw fault
    }
    journal.push(event.data.status)
  })
  return {
    ...table,
    journal,
    warnings,
    rules,
    handle: async (...event: Parameters<typeof eventOf>) => handler(eventOf(...event), context),
    failWith(error: Error | undefined) {
      fault = error
    },
  }
}

describe('ordered', () => {
  test('runs the handler only for steps forward', async () => {
    const { handle, journal, find, warnings } = rig()
    for (const [i, status] of ['processing', 'pending', 'settled', 'processing', 'settled'].entries()) {
      await handle(`evt_${i}`, 'tr_1', status)
    }
    expect(journal).toEqual(['processing', 'settled'])
    expect(find('tr_1')).toMatchObject({ state: 'settled', disputed: 0 })
    expect(warnings).toEqual([])
  })

  test('reports a contradiction and overwrites nothing', async () => {
    const { handle, journal, find, warnings } = rig()
    await handle('evt_1', 'tr_1', 'failed')
    await handle('evt_2', 'tr_1', 'settled')
    await handle('evt_3', 'tr_1', 'reversed')
    expect(journal).toEqual(['failed', 'failed against settled', 'failed against reversed'])
    expect(find('tr_1')).toMatchObject({ state: 'failed', disputed: 1 })
    expect(warnings[0]).toBe('tr_1 is failed, which contradicts settled; it was left as it is')
  })

  test('runs a handler again that failed after its step, but only for the same event', async () => {
    const { handle, journal, find, failWith } = rig()
    const error = new Error('the ledger is down')
    failWith(error)
    await expect(handle('evt_1', 'tr_1', 'settled')).rejects.toBe(error)
    failWith(undefined)
    await handle('evt_2', 'tr_1', 'settled')
    expect(journal).toEqual([])
    await handle('evt_1', 'tr_1', 'settled')
    expect(journal).toEqual(['settled'])
    expect(find('tr_1')?.state).toBe('settled')
  })

  test('keeps resources apart', async () => {
    const { handle, journal } = rig()
    await handle('evt_1', 'tr_1', 'failed')
    await handle('evt_2', 'tr_2', 'settled')
    expect(journal).toEqual(['failed', 'settled'])
  })

  test('rejects if the current or the incoming state is not in the graph', async () => {
    const { handle, journal, states } = rig()
    const unknown = { message: expect.stringContaining('refunded is not in the lifecycle') }
    await expect(handle('evt_1', 'tr_1', 'refunded')).rejects.toMatchObject(unknown)
    await states.advance({ resource: 'tr_2', to: 'refunded', from: [], eventId: 'evt_0' }, undefined)
    await expect(handle('evt_2', 'tr_2', 'settled')).rejects.toMatchObject(unknown)
    expect(journal).toEqual([])
  })

  test('tries a step again after a concurrent change, a limited number of times', async () => {
    const { rules } = rig()
    let calls = 0
    const states = {
      advance: () => ++calls > 3,
      current: () => 'pending',
    }
    const ran: string[] = []
    const context = {} as HandlerContext
    await ordered({ ...rules, states }, ({ id }: Event) => ran.push(id))(
      eventOf('evt_1', 't', 'settled'),
      context,
    )
    expect([ran, calls]).toEqual([['evt_1'], 4])
    const before = -1_000_000
    calls = before
    const never = ordered({ ...rules, states }, ({ id }: Event) => ran.push(id))
    const refusal = await Promise.resolve(never(eventOf('evt_2', 't', 'settled'), context)).catch(String)
    expect(refusal).toContain(`overtaken ${calls - before} times`)
  })

  test('adds its warning to the result, and has the types of the handlers', async () => {
    const { rules, journal } = rig()
    const results: ReceiveResult[] = []
    const byType = {
      ...rules,
      resource: ({ data }: WebhookEvent<string, { transferId: string }>) => data.transferId,
      state: ({ type }: WebhookEvent) => type.slice('transfer.'.length),
      onConflict: ({ current, incoming }: Conflict) => journal.push(`${current} against ${incoming}`),
    }
    const receiver = createReceiver({
      secret: testSecret,
      store: memoryStore(),
      logger: false,
      onResult: (result) => results.push(result),
      handlers: {
        'transfer.settled': ordered(byType, (event: WebhookEvent<string, TransferSettled>) => {
          journal.push(event.type)
        }),
        // Without its own type, the event has the type of the rules.
        'transfer.failed': ordered(byType, (event, { signal }) => {
          expectTypeOf(event.data).toEqualTypeOf<{ transferId: string }>()
          expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
          journal.push(event.type)
        }),
      },
    })
    const direct: Handlers<KnownEvents> = {
      'transfer.failed': ordered(byType, ({ data }) => {
        expectTypeOf(data.failureCode).toEqualTypeOf<string | undefined>()
      }),
      // @ts-expect-error an approval may have no transfer
      'approval.updated': ordered(byType, () => {}),
    }
    expect(Object.keys(direct)).toHaveLength(2)
    const sender = testSender({ receiver })
    await sender.send('transfer.failed', { transferId: 'tr_1' })
    const answer = await sender.send('transfer.settled', { transferId: 'tr_1' })
    expect(answer.outcome).toBe('processed')
    expect(results[1]?.warnings).toEqual(['tr_1 is failed, which contradicts settled; it was left as it is'])
    expect(journal).toEqual(['transfer.failed', 'failed against settled'])
  })
})

describe('any order of the same events', () => {
  const shuffles = process.env.LONG ? 20_000 : 4000

  /** Some events of one transfer. A few are delivered twice, as after a lost answer. */
  function someEvents(random: () => number) {
    const ids = transfers.states.flatMap((status) =>
      random() < 0.5
        ? []
        : [{ status, id: `${status}-1` }, ...(random() < 0.2 ? [{ status, id: `${status}-2` }] : [])],
    )
    return [...ids, ...ids.filter(() => random() < 0.3)]
  }

  test(`leaves a transfer in the same state, contradictions included (${shuffles} shuffles on SQLite)`, async () => {
    const random = randomNumbers(20_000)
    const { handle, find, journal } = rig()
    const seen = { calm: 0, disputed: 0 }
    for (let round = 0; round < shuffles / 4; round++) {
      const events = someEvents(random)
      const ends = new Set<string>()
      for (let order = 0; order < 4; order++) {
        const transfer = `tr_${round}_${order}`
        const deliveries = shuffle(events, round * 4 + order)
        for (const { id, status } of deliveries) {
          await handle(`${transfer}-${id}`, transfer, status)
        }
        const end = find(transfer)
        ends.add(end?.disputed ? 'disputed' : (end?.state ?? 'none'))
      }
      expect([...ends], JSON.stringify(events)).toHaveLength(1)
      seen[ends.has('disputed') ? 'disputed' : 'calm']++
    }
    expect(seen.calm).toBeGreaterThan(shuffles / 40)
    expect(seen.disputed).toBeGreaterThan(shuffles / 40)
    expect(journal.length).toBeGreaterThan(shuffles)
  })

  test('runs only states that follow from the one before, and none twice', async () => {
    const random = randomNumbers(5)
    for (let round = 0; round < 500; round++) {
      const { handle, journal } = rig()
      for (const { id, status } of shuffle(someEvents(random), round)) {
        await handle(id, 'tr_1', status)
      }
      const applied = journal.filter((line) => !line.includes(' against '))
      // The second delivery of an event looks like a retry, so it may run again. A store would stop it.
      const steps = applied.filter((status, i) => status !== applied[i - 1])
      for (const [i, status] of steps.slice(1).entries()) {
        expect(transfers(steps[i], status)).toBe('apply')
      }
    }
  })
})
