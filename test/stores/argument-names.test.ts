import { afterAll, describe, expect, test } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { allVerbs } from './operator-verbs.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

afterAll(removeFiles)

const list = ['a']
const wrong = [null, true, list, Number.NaN, () => 'a']
/** The one of them that is right for this argument. */
const right: Readonly<Record<string, unknown>> = { bodies: true, empty: true, copies: list }

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
        message: expect.stringMatching(
          `^invalid_option: (.*\\b${name}\\b.* (must|is) |give .*\\b${name}\\b)`,
        ),
      })
    }
  })
})

test.each([7, '', 'x7', '7x', '7.5', '1'.repeat(19)])(
  'a page of audits does not start after %j',
  async (after) => {
    const { inbox } = sqliteStore(open(newFile()))
    await expect(inbox.auditLog?.list({ endpoint: 'a', after: after as string })).rejects.toThrow(
      'after must be the id of an entry',
    )
    for (const right of ['7', '12', '9'.repeat(18)]) {
      expect(await inbox.auditLog?.list({ endpoint: 'a', after: right })).toEqual([])
    }
  },
)

test('statistics have 1 to 100 buckets, and each lasts from a second to a year', async () => {
  const { inbox } = sqliteStore(open(newFile()))
  const read = (buckets: number, bucketSeconds: number) =>
    inbox.statistics?.read({ endpoint: 'a', buckets, bucketSeconds })
  for (const buckets of [0, 1.5, 101]) {
    await expect(read(buckets, 60)).rejects.toThrow('buckets must be a whole number from 1 to 100')
  }
  for (const bucketSeconds of [0, 0.5, 31_622_401]) {
    await expect(read(1, bucketSeconds)).rejects.toThrow(
      'bucketSeconds must be a whole number from 1 to 31,622,400',
    )
  }
  expect((await read(1, 31_622_400))?.buckets).toHaveLength(1)
  expect((await read(100, 1))?.buckets).toHaveLength(100)
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

test('a count of failures that is none is rejected by name', async () => {
  const { inbox } = sqliteStore(newFile())
  for (const at of [null, {}, { generation: 0 }, { generation: 0, failures: 0.5 }]) {
    await expect(inbox.postpone('key', 1, 'no', undefined, at as never)).rejects.toMatchObject({
      code: 'invalid_option',
      detail: 'at must have a generation and failures, two whole numbers',
    })
  }
})
