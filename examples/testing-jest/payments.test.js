/** Under jest: `NODE_OPTIONS=--experimental-vm-modules npx jest --rootDir examples/testing-jest`. */
import { expect, test } from '@jest/globals'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { storeSuite, tamper, testSecret, testSender } from 'webhook-inbox/testing'

test('a settled transfer is credited once, and a forged one never', async () => {
  /** @type {string[]} */
  const credited = []
  const receiver = createReceiver({
    secret: testSecret,
    store: memoryStore(),
    logger: false,
    handlers: { 'transfer.settled': ({ data }) => credited.push(data.transferId) },
  })
  const sender = testSender({ receiver })

  const first = await sender.send('transfer.settled', { transferId: 'tr_1' })
  expect(first).toMatchObject({ status: 200, outcome: 'processed' })
  expect(await sender.redeliver(first)).toMatchObject({ status: 200, outcome: 'duplicate' })

  const forged = tamper.signature(await sender.prepare('transfer.settled'))
  expect(await sender.deliver(forged)).toMatchObject({ status: 401, code: 'signature_mismatch' })
  expect(credited).toEqual(['tr_1'])
})

// The laws of a store are tests of this runner, too.
const store = memoryStore()
storeSuite(test, () => ({ ...store, close: async () => {} }))
