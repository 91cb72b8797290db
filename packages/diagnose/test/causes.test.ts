import { describe, expect, it } from 'vitest'
import { causes, diagnose } from '../src/index.js'
import { digest, good, now } from './delivery.js'
import { bodyFaults } from './faults/bodies.js'
import { headerFaults } from './faults/headers.js'
import { schemeFaults } from './faults/schemes.js'
import { secretFaults } from './faults/secrets.js'
import { severalFaults } from './faults/several.js'
import { timeFaults } from './faults/times.js'

const faults = [
  ...secretFaults,
  ...schemeFaults,
  ...timeFaults,
  ...headerFaults,
  ...bodyFaults,
  ...severalFaults,
]

describe('a diagnosis', () => {
  it('accepts a good delivery without a cause', async () => {
    const diagnosis = await diagnose(good)
    expect(diagnosis).toMatchObject({ isAccepted: true, causes: [], search: { tried: 0, leftOut: [] } })
    expect(diagnosis.code).toBeUndefined()
  })

  it.each(faults)('names the cause of %s', async (_, fault, expected) => {
    const diagnosis = await diagnose({ ...good, ...fault })
    expect(diagnosis.causes.map(({ code }) => code)).toEqual(expected)
    expect(diagnosis.isAccepted).toBe(false)
    for (const { code, sentence, evidence, fix } of diagnosis.causes) {
      expect({ sentence, fix }).toEqual({ sentence: causes[code].sentence, fix: causes[code].fix })
      expect(evidence).toMatch(/\.$/)
    }
  })

  it('does not treat eleven digits as a truncated signature, because they may match by chance', async () => {
    const header = good.header.slice(0, good.header.indexOf('v1=') + 3 + 11)
    expect(await diagnose({ ...good, header })).toMatchObject({ code: 'signature_mismatch', causes: [] })
  })

  it('is tested with every cause', () => {
    const tested = new Set(faults.flatMap(([, , expected]) => expected))
    expect([...tested].sort()).toEqual(Object.keys(causes).sort())
  })

  it.each(
    faults.filter(
      ([, , expected]) => !expected.some((code) => /timestamp_(too_old|ahead)|event_id/.test(code)),
    ),
  )('names no cause for %s where the signature is of other bytes', async (_, fault) => {
    const header = `t=${now},v1=${digest('other', 'bytes', '').toString('hex')}`
    const diagnosis = await diagnose({ ...good, ...fault, header, otherDeliveries: [] })
    expect(diagnosis).toMatchObject({ isAccepted: false, causes: [] })
  })
})
