import { describe, expect, it } from 'vitest'
import type { Receiver, Run } from 'webhook-inbox'
import { consoleHandler } from '../src/index.js'
import { resolveMask } from '../src/views/mask.js'
import { quarantinedWords } from '../src/views/planned-quarantine.js'
import { plannedWhere } from '../src/views/planned-where.js'
import { all } from './every-right.js'
import { act, json, listen, openFilledInbox, openInbox, openWaitingInbox } from './rig.js'

describe('a change of one event by an operation', () => {
  /** What is said when the operation ends like this. */
  async function said(over: Partial<Run>) {
    const { receiver } = await openWaitingInbox()
    const ending: Receiver = {
      ...receiver,
      async run(plan, options) {
        const handle = await receiver.run(plan, options)
        await handle.finished()
        const progress = async () => ({ ...(await handle.progress()), ...over })
        return { ...handle, progress }
      },
    }
    const url = await listen(consoleHandler(ending, all))
    const seen = { seen: { state: 'failed', generation: 0 } }
    const response = await fetch(`${url}/api/events/evt_failed/retry-now`, act('a test', {}, seen))
    return [response.status, (await response.json()) as { detail?: string }] as const
  }
  const nothing = (because: string) => [
    409,
    expect.objectContaining({
      code: 'event_changed',
      detail: `Nothing changed: ${because} Nothing was changed.`,
    }),
  ]

  it('says that a handler ran the event', async () => {
    expect(await said({ applied: 0, skipped: { is_running: 1 } as never })).toEqual(
      nothing(
        'a handler ran the event, or another change was being made to it. Wait until that has ended, then look at it again.',
      ),
    )
  })

  it('says that the event is due', async () => {
    expect(await said({ applied: 0, skipped: { is_due: 1 } as never })).toEqual(
      nothing('the event is due already. It runs as soon as nothing holds it.'),
    )
  })

  it('says that the queue rejected it', async () => {
    expect(await said({ applied: 0, skipped: {}, failed: 1 })).toEqual(
      nothing('the queue rejected the event. The log of the program says why.'),
    )
  })

  it('says that the event has changed, where nothing else is known', async () => {
    const [status, { detail }] = await said({ applied: 0, skipped: {}, failed: 0 })
    expect(status).toBe(409)
    expect(detail).toMatch(/^The event changed since it was shown\. It .*now/)
  })

  it('is answered with the operation where it has changed the event, and where it goes on', async () => {
    expect((await said({}))[1]).toMatchObject({ action: 'retryNow', applied: 1, count: 1, canary: 0 })
    const start = performance.now()
    const [status, run] = await said({ endedAt: undefined, applied: 0 } as never)
    expect([status, run]).toMatchObject([200, { action: 'retryNow', applied: 0 }])
    expect(performance.now() - start).toBeGreaterThan(1900)
  })

  it.each([
    [
      'retry-now',
      'Only a failed event that waits for its next attempt can be retried now. Nothing was changed.',
    ],
    ['give-up', 'Only an event that still runs or waits can be given up. Nothing was changed.'],
  ])('%s is told which events it takes', async (verb, detail) => {
    const { receiver } = await openFilledInbox()
    const url = await listen(consoleHandler(receiver, all))
    const answer = await json(`${url}/api/events/evt_dead/${verb}`, act('a test'))
    expect(answer).toMatchObject({ status: 422, code: 'invalid_request', detail })
  })
})

describe('the conditions of an operation', () => {
  const where = async (
    given: object,
    mask?: readonly string[],
    events: { applied?: string; left?: string } = {},
  ) => {
    const rows = (eventId?: string) => async () => (eventId === undefined ? [] : [{ eventId }])
    const receiver = {
      findPlan: async (id: string) => (id === 'plan_1' ? { where: given } : undefined),
      findRun: async () => ({ applied: rows(events.applied), leftAlone: rows(events.left) }),
    } as unknown as Receiver
    return plannedWhere(receiver, { id: 'run_1', plan: 'plan_1' } as Run, mask && resolveMask(mask))
  }

  it('are shown as texts, and a resource behind a mask is not', async () => {
    const since = new Date('2026-01-01T00:00:00Z')
    expect(await where({ type: 'a.*', since, until: undefined, state: 'dead', resource: 'r' })).toEqual({
      where: { type: 'a.*', since: '2026-01-01T00:00:00.000Z', state: 'dead', resource: 'r' },
    })
    expect(await where({ resource: 'r', type: 'a' }, ['data.a'])).toEqual({
      where: { resource: '•••', type: 'a' },
    })
    expect(await where({})).toEqual({ where: {} })
  })

  it('of one event name it, also if it was left alone, and say so if it is not kept', async () => {
    expect(await where({ key: 'k' }, undefined, { applied: 'evt_1' })).toEqual({ where: { event: 'evt_1' } })
    expect(await where({ key: 'k' }, undefined, { left: 'evt_2' })).toEqual({ where: { event: 'evt_2' } })
    expect(await where({ key: 'k' })).toEqual({ where: { event: 'not kept' } })
  })

  it('are unknown without their plan', async () => {
    const receiver = { findPlan: async () => undefined } as unknown as Receiver
    expect(await plannedWhere(receiver, { id: 'run_1', plan: 'gone' } as Run, undefined)).toEqual({})
  })
})

it('a plan says how many of its events are also in quarantine, at least where it compared only some', async () => {
  const words = async (deliveries: number, matching: number, action: 'replay' | 'giveUp' = 'replay') => {
    const asked: object[] = []
    const receiver = {
      quarantined: async () =>
        Array.from({ length: deliveries }, (_, at) => ({ eventId: at % 2 === 0 ? `evt_${at}` : undefined })),
      list: async (query: { id: string; state: string }) => {
        asked.push(query)
        return Number(query.id.slice(4)) < 2 * matching && query.state !== 'failed' ? [{}] : []
      },
    } as unknown as Receiver
    return [
      await quarantinedWords(receiver, action, { type: 'a', key: 'k' } as never),
      asked.slice(0, 2),
    ] as const
  }
  const rest =
    'another delivery with the same id in quarantine. Compare the two first: only the stored event is changed here.'
  const dead = (id: string) => ({ type: 'a', id, state: 'dead', limit: 1, bodies: false })
  expect(await words(4, 1)).toEqual([`1 of these events has ${rest}`, [dead('evt_0'), dead('evt_2')]])
  expect((await words(4, 2))[0]).toBe(`2 of these events have ${rest}`)
  expect((await words(100, 1))[0]).toBe(`At least 1 of these events has ${rest}`)
  expect((await words(99, 3))[0]).toBe(`3 of these events have ${rest}`)
  expect((await words(4, 0))[0]).toBeUndefined()
  expect((await words(0, 0))[0]).toBeUndefined()
  const [given, asked] = await words(4, 1, 'giveUp')
  expect(given).toBe(`1 of these events has ${rest}`)
  expect(asked.map((query) => (query as { state: string }).state)).toEqual(['accepted', 'failed'])
})

it('a type whose events fail in a row is shown with what it waits for', async () => {
  const { receiver, send, until } = await openInbox(
    undefined,
    {},
    { attempts: 5, firstPauseSeconds: 3600 },
    { breaker: { failures: 2, retryAfterSeconds: 600 } },
  )
  await send('transfer.failed', {}, 'evt_1')
  await send('transfer.failed', {}, 'evt_2')
  await until(({ failed }) => failed === 2)
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  const [circuit] = await receiver.openCircuits()
  expect(await json(`${api}/flow/circuits`)).toEqual([
    { type: 'transfer.failed', failures: 2, retryAt: circuit?.retryAt, isOnTrial: false },
  ])
  expect(circuit?.retryAt).toBeDefined()
})
