import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ApiError, type Client, createClient, verifySignature } from 'webhook-inbox-client'
import * as schemas from 'webhook-inbox-client/schemas'
import type * as z from 'zod'
import { createSandbox, type Sandbox } from '../src/index.js'

/** The client against the sandbox: both use the same schemas, so every answer must fit them. */

let sandbox: Sandbox
let service: Client
beforeEach(async () => {
  sandbox = await createSandbox({ port: 0, clock: 'virtual' })
  service = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, retry: { maxRetries: 0 } })
})
afterEach(() => sandbox.close())

const settling = {
  source: 'wallet_kes_ada',
  destination: { type: 'mobile_money', network: 'sim_settle', phone: '+254712345678' },
  amount: '10.50',
  currency: 'KES',
} as const

/** Fails with the issues of the schema, where a value does not fit it. */
function expectShape(schema: z.ZodType, value: unknown): void {
  const result = schema.safeParse(value)
  expect(result.error?.issues ?? []).toEqual([])
}

async function failureOf(promise: Promise<unknown>): Promise<ApiError> {
  const failure = await promise.catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ApiError)
  return failure as ApiError
}

describe('the responses of the sandbox have the types of the client', () => {
  test('wallets', async () => {
    const created = await service.wallets.create({ owner: 'cus_ada', currency: 'EUR' })
    expectShape(schemas.Wallet, created)
    expect(created).toMatchObject({ owner: 'cus_ada', currency: 'EUR', balance: { available: '0.00' } })
    expect(created.id).toMatch(/^wallet_eur_/)
    expect(await service.wallets.get(created.id)).toEqual(created)
    expectShape(schemas.Balance, await service.wallets.balance(created.id))
  })

  test('transfers of both shapes, before and after they settle', async () => {
    const outside = await service.transfers.create({ ...settling, metadata: { reference: 'order 1042' } })
    const between = await service.transfers.create({
      source: 'wallet_kes_ada',
      destination: 'wallet_kes_ben',
      amount: 10.5,
      currency: 'KES',
      rail: 'sim_fail_recipient',
    })
    for (const created of [outside, between]) {
      expectShape(schemas.Transfer, created)
      expect(created).toMatchObject({ status: 'pending', amountMinor: 1050 })
    }
    await sandbox.advance({ seconds: 5 })
    const [settled, failed] = [
      await service.transfers.get(outside.id),
      await service.transfers.get(between.id),
    ]
    expectShape(schemas.Transfer, settled)
    expectShape(schemas.Transfer, failed)
    expect(settled).toMatchObject({
      status: 'settled',
      ledgerState: 'matched',
      metadata: { reference: 'order 1042' },
    })
    expect(failed).toMatchObject({ status: 'failed', failure: { code: 'recipient_rejected' } })
    expect(await service.wallets.balance('wallet_kes_ada')).toMatchObject({ available: '999989.50' })
  })

  test('events, with the data of their type', async () => {
    await service.transfers.create(settling)
    await service.transfers.create({
      ...settling,
      destination: { ...settling.destination, network: 'sim_fail_funds' },
    })
    await service.transfers.create({
      ...settling,
      destination: { ...settling.destination, network: 'sim_approval' },
    })
    await sandbox.advance({ seconds: 5 })
    await sandbox.emit('evidence.exported', { exportId: 'exp_1' })
    const types = new Set<string>()
    for await (const event of service.events.list({ limit: 2 })) {
      expectShape(schemas.ServiceEvent, event)
      expect(await service.events.get(event.id)).toEqual(event)
      types.add(event.type)
    }
    expect(types).toEqual(new Set([...schemas.knownEventTypes, 'evidence.exported']))
  })

  test('subscriptions, whose secret is shown once', async () => {
    const created = await service.webhookSubscriptions.create({
      url: 'http://127.0.0.1:9/webhooks',
      events: ['transfer.*'],
      description: 'the books',
    })
    expectShape(schemas.CreatedWebhookSubscription, created)
    const { secret, ...rest } = created
    expect(secret).toMatch(/^whsec_/)
    expect(await service.webhookSubscriptions.get(created.id)).toEqual(rest)
    expectShape(schemas.WebhookSubscription, rest)
    await service.webhookSubscriptions.delete(created.id)
    expect((await failureOf(service.webhookSubscriptions.get(created.id))).status).toBe(404)
  })

  test('approvals and journal lines', async () => {
    await service.transfers.create(settling)
    await service.transfers.create({
      ...settling,
      destination: { ...settling.destination, network: 'sim_approval' },
    })
    await sandbox.advance({ seconds: 5 })
    const approvals = await service.approvals.list().page()
    expect(approvals.data).toHaveLength(1)
    for (const approval of approvals.data) {
      expectShape(schemas.Approval, approval)
      expect(await service.approvals.get(approval.id)).toEqual(approval)
    }
    let sum = 0n
    for await (const entry of service.ledgerEntries.list({ limit: 7 })) {
      expectShape(schemas.LedgerEntry, entry)
      if (entry.currency === 'KES') {
        sum += schemas.minorUnits(entry.amount.replace('-', '')) * (entry.amount.startsWith('-') ? -1n : 1n)
      }
    }
    expect(sum).toBe(0n)
  })
})

describe('what the sandbox rejects is an ApiError with the field', () => {
  test.each([
    ['an amount', { ...settling, amount: '10.5' }, 'amount'],
    [
      'a phone',
      { ...settling, destination: { ...settling.destination, phone: '0712' } },
      'destination.phone',
    ],
    ['a rail in shape A', { ...settling, rail: 'sim_settle' }, 'rail'],
    ['no rail in shape B', { ...settling, destination: 'wallet_kes_ben', amount: 1 }, 'rail'],
  ])('%s', async (_case, transfer, param) => {
    const failure = await failureOf(service.transfers.create(transfer as schemas.TransferRequest))
    expect(failure).toMatchObject({ status: 422, param })
    expect(failure.requestId).toBeTruthy()
    expectShape(schemas.Problem, JSON.parse(failure.body))
  })

  test('a wrong key', async () => {
    const stranger = createClient({ baseUrl: sandbox.url, apiKey: 'sk_sandbox_of_another' })
    const failure = await failureOf(stranger.wallets.list().page())
    expect(failure).toMatchObject({ status: 401, requests: 1 })
  })

  test('a wallet that is not there', async () => {
    const failure = await failureOf(service.wallets.get('wallet_kes_dan'))
    expect(failure).toMatchObject({ status: 404, code: 'not_found' })
  })
})

test('twenty calls with one key make one transfer', async () => {
  const patient = createClient({
    baseUrl: sandbox.url,
    apiKey: sandbox.apiKey,
    retry: { firstPauseSeconds: 0.05 },
  })
  const calls = Array.from({ length: 20 }, () =>
    patient.transfers.create(settling, { idempotencyKey: 'order-1042' }),
  )
  const ids = new Set((await Promise.all(calls)).map(({ id }) => id))
  expect(ids.size).toBe(1)
  expect((await service.transfers.list().page()).data).toHaveLength(1)
})

test('a key with another body is rejected', async () => {
  await service.transfers.create(settling, { idempotencyKey: 'order-1042' })
  const other = service.transfers.create({ ...settling, amount: '11.00' }, { idempotencyKey: 'order-1042' })
  expect(await failureOf(other)).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
})

test('a list stays whole while items are added', async () => {
  for (let i = 0; i < 45; i++) {
    await service.wallets.create({ owner: 'cus_chi', currency: 'EUR' })
  }
  const before = await idsOf(service)
  const seen: string[] = []
  for await (const { id } of service.wallets.list({ limit: 20 })) {
    if (seen.length === 10) {
      await service.wallets.create({ owner: 'cus_chi', currency: 'UGX' })
    }
    seen.push(id)
  }
  expect(new Set(seen).size).toBe(seen.length)
  expect(before.filter((id) => !seen.includes(id))).toEqual([])
})

const idsOf = async (client: Client) => {
  const ids: string[] = []
  for await (const { id } of client.wallets.list({ limit: 100 })) {
    ids.push(id)
  }
  return ids
}

test('a client without a port calls the sandbox through its fetch', async () => {
  const direct = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch })
  expect((await direct.wallets.get('wallet_kes_ada')).owner).toBe('cus_ada')
})

test('a delivery carries the signature of the secret that the client was told', async () => {
  const bodies: { body: Uint8Array; header: string }[] = []
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) {
      chunks.push(chunk)
    }
    bodies.push({ body: Buffer.concat(chunks), header: String(request.headers['service-signature']) })
    response.end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void receiver.close())
  const { port } = receiver.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/webhooks`
  const { secret } = await service.webhookSubscriptions.create({ url, events: ['transfer.settled'] })
  await service.transfers.create(settling)
  await sandbox.advance({ seconds: 5 })
  await sandbox.waitForDelivery({ type: 'transfer.settled' })
  expect(bodies).toHaveLength(1)
  for (const { body, header } of bodies) {
    await verifySignature({ body, header, secret })
  }
})
