import { expect, it } from 'vitest'
import { resolveMask } from '../src/views/mask.js'
import { maskedDifferences } from '../src/views/masked-differences.js'

const mask = resolveMask(['data.*.phone'])
const bodyOf = (data: object) => Buffer.from(JSON.stringify({ data }))
const differences = (one: object, other: object) => maskedDifferences(bodyOf(one), bodyOf(other), mask)

it('names the paths of hidden values that differ', async () => {
  const before = { ann: { phone: '1' }, bob: { phone: '2' } }
  expect(await differences(before, { ann: { phone: '1' }, bob: { phone: '3' } })).toEqual(['data.bob.phone'])
  expect(await differences(before, before)).toEqual([])
})

it('a long key is cut in each path, because a sender may put many hidden values below it', async () => {
  const key = 'k'.repeat(50_000)
  // Each spelling counts as the field phone.
  const spellings = Array.from({ length: 200 }, (_, i) => `ph${'_'.repeat(i)}one`)
  const below = (value: string) => ({ [key]: Object.fromEntries(spellings.map((name) => [name, value])) })
  const paths = await differences(below('1'), below('2'))
  expect(paths).toEqual([`data.${'k'.repeat(295)}…`])
  expect(await differences(below('1'), below('1'))).toEqual([])
})
