import { afterAll, describe, expect, test } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { allVerbs } from './operator-verbs.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

afterAll(removeFiles)

const list = ['a']
const wrong = [null, true, list, Number.NaN, () => 'a']
/** The one of them that is right for this argument. */
const right: Readonly<Record<string, unknown>> = { bodies: true, copies: list }

/** A copy of the arguments with another value at this place, such as `1.limit`. */
function withValue(args: readonly unknown[], place: string, value: unknown): unknown[] {
  const copy = structuredClone(args.map((each) => (typeof each === 'function' ? undefined : each)))
  const path = place.split('.')
  const last = path.pop() as string
  const owner = path.reduce((of, name) => (of as Record<string, unknown>)[name], copy as unknown)
  Object.assign(owner as object, { [last]: value })
  return copy.map((each, i) => (typeof args[i] === 'function' ? args[i] : each))
}

describe.each(allVerbs)('the verb $verb', ({ call, args, names }) => {
  test('takes arguments of the right types', async () => {
    await call(...args)
  })

  test.each(Object.entries(names))('rejects a wrong %s by name', async (place, name) => {
    for (const value of wrong.filter((each) => each !== right[name])) {
      await expect(call(...withValue(args, place, value)), String(value)).rejects.toMatchObject({
        code: 'invalid_option',
        message: expect.stringMatching(`^invalid_option: .*\\b${name}\\b`),
      })
    }
  })
})

test('what may be left out may be left out', async () => {
  const { inbox } = sqliteStore(open(newFile()))
  const at = { endpoint: 'a' }
  expect(
    await Promise.all([
      inbox.list(at),
      inbox.due(1),
      inbox.quarantined(at),
      inbox.auditLog?.list(at),
      inbox.failures?.groups(at),
      inbox.bulk?.plans({ ...at, limit: 1 }),
      inbox.bulk?.runs(at),
      inbox.bulk?.applied('r', { limit: 1, after: 0 }),
    ]),
  ).toEqual(Array(8).fill([]))
  expect(await inbox.discard('k', { reason: 'a test', actor: 'a test' })).toBe(false)
})

test('a plan selects by no text, and a pause is of a type or of a resource', async () => {
  const { inbox } = sqliteStore(open(newFile()))
  const plan = { id: 'p', endpoint: 'a', action: 'replay', where: { text: 'x' } } as never
  const invalid = { code: 'invalid_option' }
  await expect(inbox.bulk?.makePlan(plan)).rejects.toMatchObject({
    ...invalid,
    message: expect.stringContaining('a plan selects by no text'),
  })
  const both = { endpoint: 'a', type: 't', resource: 'r' } as never
  await expect(inbox.flow?.pause(both, { reason: 'a test', actor: 'a test' })).rejects.toMatchObject({
    ...invalid,
    message: expect.stringContaining('give a type or a resource, not both'),
  })
})
