import { describe, expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { heldProblem } from '../src/routes/held-problem.js'
import { explanationOf } from '../src/views/explanation.js'
import { againOf, makesEventsRun } from '../src/views/failed-again.js'
import { withinSeconds } from '../src/within-seconds.js'
import { all } from './every-right.js'
import { act, listen, openFilledInbox } from './rig.js'

describe('an event that something holds', () => {
  const explaining = (found: object | Error) => ({
    explain: async () => {
      if (found instanceof Error) {
        throw found
      }
      return found as never
    },
  })
  const said = async (found: object | Error) => (await heldProblem(explaining(found), 'evt_1'))?.message

  it('is said to be held by a handler, for as long as that is known', async () => {
    expect(await said({ reason: 'running' })).toBe(
      'A handler runs this event now. Look at it again when that has ended.',
    )
    const until = new Date(Date.now() + 9500).toISOString()
    expect(await said({ reason: 'dead', until })).toMatch(
      /^A handler that timed out still holds this event, for (9|10) s\. Try again after that\.$/,
    )
    const past = new Date(Date.now() - 5000).toISOString()
    expect(await said({ reason: 'dead', until: past })).toContain('for 1 s.')
    expect((await heldProblem(explaining({ reason: 'running' }), 'evt_1'))?.code).toBe('busy')
  })

  it.each([
    [{ reason: 'dead' }],
    [{ reason: 'done' }],
    [{ reason: 'paused', until: 'x' }],
    [new Error('locked')],
  ])('is not said to be held by a handler: %j', async (found) => {
    expect(await said(found)).toBeUndefined()
  })
})

describe('the explanation of an event', () => {
  const of = (found: object, isNamed = true) =>
    explanationOf({ explain: async () => found as never }, 'evt_1', isNamed)

  it('has its facts and its times, and the attempts that were lost', async () => {
    const found = {
      reason: 'waits_for_retry',
      sentence: 'It waits.',
      lostSentence: 'Its last attempt left nothing.',
      retryAt: '12:00',
      seenAt: '11:00',
      since: '10:00',
      earlier: '',
      other: 'x',
    }
    expect(await of(found)).toEqual({
      reason: 'waits_for_retry',
      sentence: 'It waits. Its last attempt left nothing.',
      retryAt: '12:00',
      times: ['12:00', '11:00', '10:00'],
    })
  })

  it('of a dead event says until when a handler holds it, if one does', async () => {
    expect(await of({ reason: 'dead', sentence: 'It is dead.', until: '12:00' })).toEqual({
      reason: 'dead',
      sentence: 'A handler that timed out still holds it. It can be changed at 12:00.',
      until: '12:00',
      times: ['12:00'],
    })
    expect(await of({ reason: 'dead', sentence: 'It is dead.' })).toEqual({
      reason: 'dead',
      sentence: 'It is dead.',
      times: [],
    })
    expect(await of({ reason: 'stalled', sentence: 'It stalls.', until: '12:00' })).toEqual({
      reason: 'stalled',
      sentence: 'It stalls.',
      until: '12:00',
      times: ['12:00'],
    })
  })

  it('names who paused it to those alone who may know', async () => {
    const pause = { endpoint: 'payments', pausedAt: '12:00', actor: 'Ann', reason: 'too fast' }
    const found = { reason: 'paused', sentence: 'Ann paused it.', pause }
    expect(await of(found)).toEqual({ reason: 'paused', sentence: 'Ann paused it.', times: ['12:00'] })
    expect((await of(found, false))?.sentence).toBe(
      'Event evt_1 waits because the endpoint payments was paused at 12:00.',
    )
  })

  it('is unknown where the store cannot say it, and fails with every other error', async () => {
    const failing = (code: string) =>
      explanationOf(
        { explain: () => Promise.reject(Object.assign(new Error(code), { code })) },
        'evt_1',
        true,
      )
    expect(await failing('invalid_store')).toBeUndefined()
    await expect(failing('store_unavailable')).rejects.toThrow('store_unavailable')
  })
})

describe('what became of the events of an operation', () => {
  const states = { accepted: 1, failed: 2, dead: 3, done: 4, gone: 5, givenUp: 6, changedSince: 7 }
  it('is counted at one moment', () => {
    const again = { failedAgain: 5, waiting: 1, done: 9, lookedAt: 21, changedSince: 7 }
    expect(againOf({ applied: 21, remaining: 9 } as never, states)).toEqual({
      applied: 21,
      remaining: 9,
      ...again,
    })
    expect(againOf({ applied: 30, remaining: 9 } as never, states)).toEqual({
      applied: 30,
      remaining: 9,
      ...again,
    })
    expect(againOf({ applied: 18, remaining: 9 } as never, states)).toEqual({
      applied: 21,
      remaining: 6,
      ...again,
    })
    expect(againOf({ applied: 18, remaining: 1 } as never, states)).toEqual({
      applied: 21,
      remaining: 0,
      ...again,
    })
  })

  it.each([
    ['replay', 1, true],
    ['retryNow', 1, true],
    ['discard', 1, false],
    ['giveUp', 1, false],
    ['replay', 0, false],
  ])('of %s over %i events is shown: %s', (action, applied, isShown) => {
    expect(makesEventsRun({ action, applied } as never)).toBe(isShown)
  })
})

it('work that takes longer than its limit is a problem, and other work is not', async () => {
  const later = new Promise((resolve) => setTimeout(resolve, 10_000, 'late').unref())
  await expect(withinSeconds(0.01, later)).rejects.toMatchObject({
    code: 'too_slow',
    message: 'The database has not responded within 0.01 seconds.',
  })
  expect(await withinSeconds(5, Promise.resolve(7))).toBe(7)
  await expect(withinSeconds(5, Promise.reject(new Error('on purpose')))).rejects.toThrow('on purpose')
})

it('a person without any right over many events is told which one is needed', async () => {
  const { receiver } = await openFilledInbox()
  const authorize = () => false
  const url = await listen(consoleHandler(receiver, { ...all, authorize }))
  const detail = async (path: string, init: object) =>
    ((await (await fetch(`${url}/api/${path}`, init)).json()) as { detail: string }).detail
  expect(await detail('plans', act('', {}, { action: 'replay' }))).toBe(
    'This needs one of the rights events:replay, events:retry, events:give-up, events:discard.',
  )
  expect(await detail('events', {})).toBe('This needs the right events:read.')
  expect(await detail('me', {})).toBe('You have no right in this console.')
})
