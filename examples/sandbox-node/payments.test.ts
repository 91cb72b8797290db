/** A service against the sandbox, under node:test: `node --import tsx --test examples/sandbox-node/payments.test.ts`. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { createClient } from 'webhook-inbox-client'
import { createSandbox } from 'webhook-inbox-sandbox'

const secret = 'whsec_of_this_test'
const credited: string[] = []
let isLedgerLocked = false

/** The service under test. */
const receiver = createReceiver({
  secret,
  store: memoryStore(),
  logger: false,
  handlers: {
    'transfer.settled'({ data }) {
      if (isLedgerLocked) {
        throw new Error('the ledger is locked')
      }
      credited.push(data.transferId)
    },
  },
})
const server = createServer(nodeHandler(receiver)).listen(0, '127.0.0.1')
await once(server, 'listening')

const sandbox = await createSandbox({ port: 0, secret, clock: 'virtual', retry: 'standard' })
const service = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey })
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
await service.webhookSubscriptions.create({ url, events: ['transfer.settled'] })

after(async () => {
  await sandbox.close()
  server.close()
})

const transfer = () =>
  service.transfers.create({
    source: 'wallet_kes_ada',
    destination: { type: 'mobile_money', network: 'sim_settle', phone: '+254712345678' },
    amount: '250.00',
    currency: 'KES',
  })

test('a settled transfer is credited once, and ten concurrent replays are duplicates', async () => {
  const { id } = await transfer()
  await sandbox.advance({ seconds: 1 })
  const { eventId } = await sandbox.waitForDelivery({ type: 'transfer.settled', outcome: 'processed' })
  await sandbox.replay(eventId, { times: 10, concurrent: true })
  await sandbox.waitForDelivery({ eventId, outcome: 'duplicate' })
  assert.deepEqual(credited, [id])
})

test('a ledger that is locked for two hours loses nothing', async () => {
  credited.length = 0
  isLedgerLocked = true
  const { id } = await transfer()
  await sandbox.advance({ seconds: 1 })
  await sandbox.waitForDelivery({ status: 500 })
  await sandbox.advance({ hours: 2 })
  assert.deepEqual(credited, [])

  isLedgerLocked = false
  await sandbox.advance({ hours: 1 })
  assert.deepEqual(credited, [id])
})
