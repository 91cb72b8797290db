import { describe, expect, it } from 'vitest'
import { causes, diagnose } from '../src/index.js'
import { good } from './delivery.js'
import { faults } from './faults/faults.js'

describe('a diagnosis', () => {
  it('accepts a good delivery without a cause', async () => {
    const diagnosis = await diagnose(good)
    expect(diagnosis).toMatchObject({ isAccepted: true, causes: [], search: { tried: 0, leftOut: [] } })
    expect(diagnosis.code).toBeUndefined()
  })

  it.each(faults)('names the cause of %s', async (_, fault, expected) => {
    const diagnosis = await diagnose({ ...good, ...fault })
    expect(diagnosis.causes.map(({ code, evidence }) => [code, evidence])).toEqual(Object.entries(expected))
    expect(diagnosis.isAccepted).toBe(false)
    for (const { code, sentence, fix } of diagnosis.causes) {
      expect({ sentence, fix }).toEqual({ sentence: causes[code].sentence, fix: causes[code].fix })
    }
  })

  it('does not treat eleven digits as a truncated signature, because they may match by chance', async () => {
    const header = good.header.slice(0, good.header.indexOf('v1=') + 3 + 11)
    expect(await diagnose({ ...good, header })).toMatchObject({ code: 'signature_mismatch', causes: [] })
  })

  it('is tested with every cause', () => {
    const tested = new Set(faults.flatMap(([, , expected]) => Object.keys(expected)))
    expect([...tested].sort()).toEqual(Object.keys(causes).sort())
  })
})
