/** A service against the sandbox, under vitest: `npx vitest run --root examples/sandbox-vitest`. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createClient } from 'webhook-inbox-client'
import { createSandbox, type Sandbox } from 'webhook-inbox-sandbox'
import { type Ledger, paymentsApp } from './service.js'

let sandbox: Sandbox
let server: Server
let secret = ''
let ledger: Ledger
let credited: string[]

beforeEach(async () => {
  credited = []
  ledger = { credit: (transferId) => void credited.push(transferId) }
  server = paymentsApp({ credit: (id) => ledger.credit(id) }, () => secret).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo

  // The clock moves only when a test advances it, so that days of retries take no time.
  sandbox = await createSandbox({ port: 0, clock: 'virtual', retry: 'standard' })
  const subscription = await service().webhookSubscriptions.create({
    url: `http://127.0.0.1:${port}/webhooks`,
    events: ['transfer.*'],
  })
  secret = subscription.secret
})

afterEach(async () => {
  await sandbox.close()
  server.close()
})

const service = () => createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey })

const transferOn = (rail: string) =>
  service().transfers.create({
    source: 'wallet_kes_ada',
    destination: 'wallet_kes_ben',
    amount: 250,
    currency: 'KES',
    rail,
  })

test('a transfer that settles is credited once', async () => {
  const transfer = await transferOn('sim_settle')
  await sandbox.advance({ seconds: 1 })
  const delivery = await sandbox.waitForDelivery({ type: 'transfer.settled', outcome: 'processed' })
  expect(delivery.attempt.response?.status).toBe(200)
  expect(credited).toEqual([transfer.id])
  expect((await service().transfers.get(transfer.id)).status).toBe('settled')
})

test('a transfer that fails is not credited', async () => {
  await transferOn('sim_fail_recipient')
  await sandbox.advance({ seconds: 1 })
  await sandbox.waitForDelivery({ type: 'transfer.failed', outcome: 'ignored' })
  expect(credited).toEqual([])
})

test('ten concurrent replays are duplicates', async () => {
  const transfer = await transferOn('sim_settle')
  await sandbox.advance({ seconds: 1 })
  const { eventId } = await sandbox.waitForDelivery({ type: 'transfer.settled' })
  const replays = await sandbox.replay(eventId, { times: 10, concurrent: true })
  expect(replays.map(({ state }) => state)).toEqual(Array(10).fill('delivered'))
  expect(credited).toEqual([transfer.id])
})

test('a service that is broken for three days credits at the tenth attempt', async () => {
  let attempts = 0
  ledger.credit = (transferId) => {
    if (++attempts < 10) {
      throw new Error('the ledger is locked')
    }
    credited.push(transferId)
  }
  const transfer = await transferOn('sim_settle')
  await sandbox.advance({ seconds: 1 })
  await sandbox.waitForDelivery({ status: 500 })

  await sandbox.advance({ hours: 75 })
  expect(attempts).toBe(9)
  await sandbox.advance({ hours: 1 })
  const { attempt } = await sandbox.waitForDelivery({ type: 'transfer.settled', outcome: 'processed' })
  expect(attempt.number).toBe(10)
  expect(credited).toEqual([transfer.id])
})
