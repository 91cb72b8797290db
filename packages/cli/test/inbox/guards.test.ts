import { describe, expect, it } from 'vitest'
import { nameTarget, readTarget } from '../../src/inbox/flow-target.js'
import { rejectRunBoth, requireRunBoth } from '../../src/inbox/other-version.js'
import { inWords } from '../../src/inbox/plan.js'
import { requireState } from '../../src/inbox/require-state.js'

describe('the state of an event', () => {
  const event = (state: 'done' | 'dead') => ({ id: 'evt_1', state }) as const
  const values = { yes: false, 'dry-run': false }
  const pipe = { stdin: {} } as Parameters<typeof requireState>[2]
  const terminal = { stdin: { isTTY: true } } as Parameters<typeof requireState>[2]
  const repeated =
    'evt_1 is done, so its effects would be repeated; to do so, add --state done --yes; nothing was done'

  it.each<[Parameters<typeof requireState>, string | undefined]>([
    [[event('dead'), values, pipe], undefined],
    [[event('dead'), { ...values, state: 'dead' }, pipe], undefined],
    [[event('dead'), { ...values, state: 'done' }, terminal], 'evt_1 is dead, not done; nothing was done'],
    [[event('done'), values, pipe], repeated],
    [[event('done'), { ...values, yes: true }, pipe], repeated],
    [[event('done'), { ...values, yes: true }, terminal], repeated],
    [[event('done'), values, terminal], undefined],
    [[event('done'), { ...values, 'dry-run': true }, pipe], undefined],
    [[event('done'), { ...values, state: 'done' }, pipe], undefined],
  ])('%# is what the operator saw, or nothing is done', (given, message) => {
    const act = () => requireState(...given)
    if (message === undefined) {
      expect(act).not.toThrow()
    } else {
      expect(act).toThrow(expect.objectContaining({ name: 'NothingDoneError', message }))
    }
  })
})

describe('another version of an event', () => {
  const values = { yes: false, 'dry-run': false, 'run-both': false }
  const dead = { id: 'evt_1', state: 'dead' } as const
  const act = (
    given: object,
    isTTY = false,
    fact: string | undefined = 'its copy evt_2 is done',
    event: object = dead,
  ) => {
    const warnings: string[] = []
    const print = { warn: (text: string) => void warnings.push(text) }
    const world = { stdin: { isTTY } } as never
    try {
      requireRunBoth(fact, event as typeof dead, { ...values, ...given }, { print, world })
      return warnings
    } catch (error) {
      expect(warnings).toEqual([])
      expect(error).toMatchObject({ name: 'NothingDoneError' })
      return (error as Error).message
    }
  }
  const refused =
    'evt_1 was not run: its copy evt_2 is done, so both would run; to do so, add --run-both --yes; nothing was done'
  const warned = ['evt_1: its copy evt_2 is done']

  it('stops a replay unless a person is asked or says so', () => {
    expect(act({})).toBe(refused)
    expect(act({ yes: true })).toBe(refused)
    expect(act({ yes: true }, true)).toBe(refused)
    expect(act({}, true)).toEqual([])
    expect(act({ 'run-both': true })).toEqual(warned)
    expect(act({ 'dry-run': true })).toEqual(warned)
    expect(act({ 'dry-run': true }, true)).toEqual(warned)
    expect(act({}, false, 'its copy evt_2 is done', { id: 'evt_1', state: 'done' })).toEqual(warned)
  })

  it('that is not there stops nothing', () => {
    const world = { stdin: {} } as never
    const print = { warn: () => expect.unreachable() }
    expect(() => requireRunBoth(undefined, dead, values, { print, world })).not.toThrow()
  })

  it('is for one event', () => {
    expect(() => rejectRunBoth({ ...values, 'run-both': true })).toThrow(
      expect.objectContaining({ name: 'UsageError', message: '--run-both is for one event: name its id' }),
    )
    expect(() => rejectRunBoth(values)).not.toThrow()
  })
})

describe('the target of a pause', () => {
  const none = { type: undefined, resource: undefined }
  it.each([
    [{}, {}, 'the endpoint'],
    [{ type: 'a.b' }, { type: 'a.b' }, 'type a.b'],
    [{ resource: 'r' }, { resource: 'r' }, 'resource r'],
    [{ type: '' }, { type: '' }, 'type '],
    [{ resource: '' }, { resource: '' }, 'resource '],
  ])('%j', (given, target, name) => {
    expect(readTarget({ ...none, ...given })).toEqual(target)
    expect(nameTarget(readTarget({ ...none, ...given }))).toBe(name)
  })

  it('is one of two', () => {
    expect(() => readTarget({ type: '', resource: '' })).toThrow(
      expect.objectContaining({ name: 'UsageError', message: 'give --type or --resource, not both' }),
    )
  })
})

it.each([
  [{ action: 'replay', count: 1, isCapped: false }, 'replay 1 event'],
  [{ action: 'discard', count: 0, isCapped: false }, 'discard 0 events'],
  [{ action: 'giveUp', count: 100_000, isCapped: true }, 'giveUp 100,000+ events'],
] as const)('the plan %j in words is: %s', (plan, words) => {
  expect(inWords(plan)).toBe(words)
})
