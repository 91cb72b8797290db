import { expect, test } from 'vitest'
import { firstLane, joined, Turns } from '../../src/store/due-bounds.js'

test('the searches of each endpoint take turns on their own', () => {
  const turns = new Turns()
  const [a, b] = ['a', 'b'].map((type) => ({ endpoint: 'e', type })) as [typeof firstLane, typeof firstLane]
  expect(turns.of('e'), 'no endpoint and no type sorts before it').toEqual({ endpoint: '', type: '' })
  turns.continueAfter('e', a)
  turns.continueAfter(undefined, b)
  expect([turns.of('e'), turns.of(undefined), turns.of('other')]).toEqual([a, b, firstLane])
  turns.continueAfter('e', undefined)
  expect([turns.of('e'), turns.of(undefined)]).toEqual([firstLane, b])
})

test('two lists are joined without a row twice, up to a limit', () => {
  const join = (limit: number) => joined(['a1', 'b1'], ['b2', 'c2', 'd2'], (row) => row.charAt(0), limit)
  expect(join(9)).toEqual(['a1', 'b1', 'c2', 'd2'])
  expect(join(3)).toEqual(['a1', 'b1', 'c2'])
  expect(join(1)).toEqual(['a1'])
})
