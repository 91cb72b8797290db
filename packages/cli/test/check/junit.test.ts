import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import type { CaseResult, Verdict } from '../../src/check/case.js'
import { junitReport } from '../../src/check/report/junit.js'

const url = new URL('http://127.0.0.1:3000/webhooks?key=hidden')

const text = fc.string({ unit: 'binary' })

const result: fc.Arbitrary<CaseResult> = fc.record({
  id: fc.constantFrom('unsigned', 'stale'),
  group: fc.constantFrom('rejects', 'accepts'),
  title: text,
  rule: fc.constant('R49'),
  ruleText: text,
  sent: text,
  verdict: fc.constantFrom<Verdict>('pass', 'warn', 'fail', 'skip'),
  received: text,
  why: text,
  advice: text,
  seconds: fc.double({ min: 0, max: 100, noNaN: true }),
})

/** Reads a document with a parser that rejects whatever XML 1.0 does not allow. */
function parse(xml: string) {
  const elements: { name: string; attributes: Record<string, string> }[] = []
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => elements.push({ name, attributes }))
  parser.write(xml).close()
  return elements
}

describe('the JUnit report', () => {
  it('is valid XML for any text, lone surrogates and control characters included', () => {
    fc.assert(
      fc.property(fc.array(result, { maxLength: 5 }), text, (results, raw) => {
        const odd = { ...(results[0] as CaseResult), received: `${raw}\ud800\u0000\u001b\uffff]]>&<"'` }
        const all = results.length > 0 ? [odd, ...results.slice(1)] : []
        const elements = parse(junitReport(all, url))
        const count = (name: string) => elements.filter((element) => element.name === name).length
        const having = (verdict: Verdict) => all.filter((each) => each.verdict === verdict).length
        expect(count('testcase')).toBe(all.length)
        expect([count('failure'), count('skipped')]).toEqual([having('fail'), having('skip')])
        expect(elements[0]?.attributes).toMatchObject({
          tests: String(all.length),
          failures: String(having('fail')),
          skipped: String(having('skip')),
        })
      }),
    )
  })

  it('shows control characters instead of dropping them', () => {
    const base = { id: 'unsigned', group: 'rejects', rule: 'R49', seconds: 0 } as const
    const texts = { title: 't', ruleText: 'r', sent: 's', advice: 'a', received: 'x' }
    const report = junitReport(
      [{ ...base, ...texts, verdict: 'fail', why: 'bell \u0007 escape \u001b' }],
      url,
    )
    const failure = parse(report).find(({ name }) => name === 'failure')
    expect(failure?.attributes.message).toBe('bell \\u0007 escape \\u001b')
  })

  it('does not name the query of the URL, which may hold a key', () => {
    expect(junitReport([], url)).not.toContain('hidden')
  })
})
