import { describe, expect, it } from 'vitest'
import type { CaseResult } from '../../src/check/case.js'
import { type CheckOptions, runChecks } from '../../src/check/run-checks.js'
import { selectCases } from '../../src/check/select.js'
import { broken } from './broken/index.js'
import { type ReceiverByHand, secret, serve } from './receiver-by-hand.js'

/** It takes two seconds, so that it runs where it matters alone. */
const slowCase = 'slow-upload'

/** A machine that stalls delays responses, and `answer-time` warns after a third of this. */
const timeoutSeconds = 90

async function findings(receiver: ReceiverByHand, options: Partial<CheckOptions>) {
  const { url, probe, close } = await serve(receiver)
  try {
    const results: CaseResult[] = []
    const given = { secret, probe, timeoutSeconds, settleSeconds: 0.5, ...options }
    for await (const result of runChecks(url, given)) {
      results.push(result)
    }
    return results
  } finally {
    await close()
  }
}

describe('check catches a receiver that', () => {
  for (const { fault, caughtBy, also = [], verdict = 'fail', why, receiver, options = {} } of broken) {
    it.concurrent(`${fault}: ${caughtBy}`, async ({ expect }) => {
      const skip = [...(options.skip ?? []), ...(caughtBy === slowCase ? [] : [slowCase])]
      const results = await findings(new receiver(), { ...options, skip })
      const found = results.filter((each) => each.verdict === 'fail' || each.verdict === 'warn')
      expect(found.map(({ id }) => id).sort()).toEqual([caughtBy, ...also].sort())
      expect(found.find(({ id }) => id === caughtBy)).toMatchObject({ verdict, ...(why && { why }) })
      for (const each of found) {
        expect(each.received).toMatch(/^\w/)
        expect(each.why).toMatch(/^\S+( \S+){2,}$/)
      }
    })
  }

  it('has a fault for every case', () => {
    const seen = new Set(broken.flatMap(({ caughtBy, also = [] }) => [caughtBy, ...also]))
    const unseen = selectCases()
      .map(({ id }) => id)
      .filter((id) => !seen.has(id))
    // Nothing that listens on loopback can break this rule; see https.test.ts.
    expect(unseen).toEqual(['https'])
  })
})
