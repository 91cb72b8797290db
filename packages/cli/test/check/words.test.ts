import { describe, expect, it } from 'vitest'
import { rules } from '../../src/check/rules.js'
import { selectCases } from '../../src/check/select.js'

/** A reader decides by these words alone what is wrong and what to do. */
describe.each(selectCases().map((each) => [each.id, each] as const))(
  'the case %s',
  (_, { title, sends, advice, rule }) => {
    it('says what a correct receiver does', () => {
      expect(title).toMatch(/^\S+( \S+){2,}$/)
    })

    it('has a rule in a whole sentence', () => {
      expect(rules[rule]).toMatch(/^[A-Z][\w-]*( \S+){2,}\.$/)
    })

    it('says what it sends', () => {
      expect(sends).toMatch(/^\S+( \S+)+$/)
    })

    it('advises in whole sentences', () => {
      expect(advice).toMatch(/^[A-Z][\w-]*( \S+){2,}\.$/)
    })
  },
)

it('no two cases have one name, or say the same of a correct receiver', () => {
  for (const field of ['id', 'title'] as const) {
    const all = selectCases().map((each) => each[field])
    expect(all).toEqual([...new Set(all)])
  }
})

it('each rule has a case', () => {
  const tested = new Set(selectCases().map(({ rule }) => rule))
  expect(Object.keys(rules).filter((rule) => !tested.has(rule as keyof typeof rules))).toEqual([])
})
