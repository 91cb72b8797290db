import { expect, test } from 'vitest'
import { shapeA, startReceiver, startTestSandbox } from './rig.js'

/** Two hundred keep `npm test` short. */
const count = process.env.LONG ? 1000 : 200

test(`${count} transfers, made as fast as one process can, settle, and their ${2 * count} events are acknowledged`, async () => {
  const sandbox = await startTestSandbox({ clock: 'real' })
  const receiver = await startReceiver()
  await sandbox.subscribe({ url: receiver.url, events: ['*'] })
  const started = performance.now()
  const makeAll = async (share: number) => {
    for (let one = 0; one < share; one++) {
      const { status } = await sandbox.post('/v1/transfers', shapeA('sim_settle', { amount: '1.00' }))
      expect(status).toBe(201)
    }
  }
  await Promise.all(Array.from({ length: 20 }, () => makeAll(count / 20)))
  const made = performance.now()
  while (receiver.received.length < 2 * count) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await sandbox.idle()
  const ended = performance.now()
  const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1)
  console.log(`made in ${seconds(started, made)} s, all acknowledged after ${seconds(started, ended)} s`)

  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(2 * count)
  expect(receiver.received).toHaveLength(2 * count)
  const { body } = await sandbox.get('/_sandbox/deliveries?state=pending')
  expect(body.data).toEqual([])
  const balance = await sandbox.get('/v1/wallets/wallet_kes_ada/balance')
  expect(balance.body).toEqual({ available: `${1_000_000 - count}.00`, pending: '0.00' })
}, 120_000)
