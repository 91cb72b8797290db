/** Under node:test, with supertest: `node --import tsx --test examples/testing-node/payments.test.ts`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import express from 'express'
import request from 'supertest'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { expressHandler } from 'webhook-inbox/express'
import { type Delivery, fixture, tamper, testSecret } from 'webhook-inbox/testing'

const credited: string[] = []
const receiver = createReceiver({
  secret: testSecret,
  store: memoryStore(),
  logger: false,
  handlers: { 'transfer.settled': ({ data }) => credited.push(data.transferId) },
})
const app = express().post('/webhooks', expressHandler(receiver))

/** `serialize` keeps the bytes. For JSON supertest would serialize even a Buffer again. */
const deliver = ({ headers, body }: Delivery) =>
  request(app)
    .post('/webhooks')
    .set(headers)
    .serialize((bytes) => bytes)
    .send(body)

test('a settled transfer is credited once', async () => {
  const delivery = await fixture('transfer.settled', { data: { transferId: 'tr_1' } })
  await deliver(delivery).expect(200, { outcome: 'processed', eventId: delivery.event.id })
  await deliver(delivery).expect(200, { outcome: 'duplicate', eventId: delivery.event.id })
  assert.deepEqual(credited, ['tr_1'])
})

test('a delivery that was tampered with is rejected', async () => {
  const delivery = tamper.body(await fixture('transfer.settled'))
  await deliver(delivery).expect(401, { outcome: 'rejected', code: 'signature_mismatch' })
})
