import { expect, test } from 'vitest'
import { startReceiver, startTestSandbox } from '../rig.js'

const start = '2026-01-01T00:00:00.000Z'

test('a delivery is shown with its times, its state and each attempt, while it waits and when it has ended', async () => {
  const sandbox = await startTestSandbox({ retry: [90] })
  const statuses = [503, 204]
  const receiver = await startReceiver(() => statuses.shift() ?? 500)
  const { id: subscriptionId } = await sandbox.subscribe({ url: receiver.url, events: ['*'] })
  const event = await sandbox.emit('evidence.exported', { n: 1 })
  await sandbox.idle()
  const [listed] = (await sandbox.get('/_sandbox/deliveries')).body.data
  const path = `/_sandbox/deliveries/${listed.id}`

  const waiting = (await sandbox.get(path)).body
  const [first] = waiting.tries
  const signature = receiver.received[0]?.headers['service-signature']
  const delivery = {
    id: listed.id,
    eventId: event.id,
    eventType: 'evidence.exported',
    subscriptionId,
    url: receiver.url,
    envelope: 'camelCase',
    cause: 'event',
    signature,
    createdAt: start,
  }
  const summary = { outcome: null, code: null, failure: null, faults: [], edited: null }
  const last = { ...summary, number: 1, startedAt: start, status: 503, milliseconds: expect.any(Number) }
  const nextTryAt = '2026-01-01T00:01:30.000Z'
  expect(listed).toEqual({ ...delivery, state: 'pending', attempts: 1, nextTryAt, endedAt: null, last })
  expect(waiting).toEqual({ ...listed, tries: [first] })
  const sent = JSON.stringify(event)
  expect(first).toEqual({
    ...summary,
    deliveryId: listed.id,
    number: 1,
    startedAt: start,
    sentAt: expect.stringMatching(/^20/),
    request: {
      headers: expect.arrayContaining([
        ['Content-Type', 'application/json'],
        ['Service-Event-Id', event.id],
        ['Service-Signature', signature],
      ]),
      body: sent,
      bodyBase64: Buffer.from(sent).toString('base64'),
    },
    response: { status: 503, headers: expect.any(Array), isTruncated: false, body: '', bodyBase64: '' },
    timings: first.timings,
    nextTryAt,
  })
  expect(Math.abs(Date.parse(first.sentAt) - Date.now())).toBeLessThan(60_000)
  const { connected, sent: sentAfter, answered, ended } = first.timings
  expect([connected, sentAfter, answered, ended].map((time) => time > 0)).toEqual([true, true, true, true])
  expect(ended).toBeGreaterThanOrEqual(answered)

  await sandbox.advance({ seconds: 90 })
  const done = (await sandbox.get(path)).body
  expect(done).toMatchObject({
    ...delivery,
    state: 'delivered',
    attempts: 2,
    nextTryAt: null,
    endedAt: nextTryAt,
  })
  expect(done.last).toMatchObject({ number: 2, startedAt: nextTryAt, status: 204 })
  expect(done.tries).toMatchObject([
    { number: 1, nextTryAt },
    { number: 2, nextTryAt: null, response: { status: 204 } },
  ])
})

test('a delivery that was never sent has no signature and no last attempt', async () => {
  const sandbox = await startTestSandbox()
  const { id } = await sandbox.subscribe({ url: 'http://127.0.0.1:9/', events: ['*'] })
  await sandbox.request('PUT', '/_sandbox/chaos', { all: { reorder: { probability: 1, windowSeconds: 60 } } })
  await sandbox.emit('evidence.exported')
  await sandbox.request('DELETE', `/webhook-subscriptions/${id}`)
  const { body } = await sandbox.get('/_sandbox/deliveries')
  expect(body.data).toMatchObject([
    { state: 'canceled', attempts: 0, signature: null, nextTryAt: null, endedAt: start, last: null },
  ])
})

test('an attempt without a response shows its failure', async () => {
  const sandbox = await startTestSandbox({ retry: 'none' })
  await sandbox.subscribe({ url: 'http://127.0.0.1:9/', events: ['*'] })
  await sandbox.emit('evidence.exported')
  await sandbox.idle()
  const [{ id }] = (await sandbox.get('/_sandbox/deliveries')).body.data
  const { body } = await sandbox.get(`/_sandbox/deliveries/${id}`)
  expect(body).toMatchObject({ state: 'exhausted', last: { failure: 'refused', status: null } })
  expect(body.tries).toMatchObject([
    {
      response: null,
      failure: { kind: 'refused', code: 'ECONNREFUSED', message: expect.stringContaining('127.0.0.1:9') },
    },
  ])
})
