import { describe, expect, it } from 'vitest'
import { shuffle } from '../../src/testing/index.js'

describe('shuffle', () => {
  it('always changes the order of two or more items', () => {
    for (let seed = 0; seed < 1000; seed++) {
      expect(shuffle([1, 2], seed)).toEqual([2, 1])
      expect(shuffle([1, 2, 3], seed)).not.toEqual([1, 2, 3])
    }
    expect(shuffle([1])).toEqual([1])
    expect(shuffle([])).toEqual([])
  })

  it('reaches every other order', () => {
    const orders = new Set(Array.from({ length: 500 }, (_, seed) => shuffle(['a', 'b', 'c'], seed).join('')))
    expect(orders).toEqual(new Set(['acb', 'bac', 'bca', 'cab', 'cba']))
  })
})
