import { expect, it } from 'vitest'
import { diagnose } from '../src/index.js'
import { digest, good, now } from './delivery.js'
import { faults } from './faults/faults.js'

// In a file of its own, because each of these searches to the end, which is too slow for the mutation tester.
it.each(
  faults.filter(
    ([, , expected]) =>
      !Object.keys(expected).some((code) => /timestamp_(too_old|ahead)|event_id/.test(code)),
  ),
)('names no cause for %s where the signature is of other bytes', async (_, fault) => {
  const header = `t=${now},v1=${digest('other', 'bytes', '').toString('hex')}`
  const diagnosis = await diagnose({ ...good, ...fault, header, otherDeliveries: [] })
  expect(diagnosis).toMatchObject({ isAccepted: false, causes: [] })
})
