import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { verifySignature } from 'webhook-inbox'
import { startReceiver, startTestSandbox } from '../rig.js'

const secret = 'whsec_of_the_edited'

async function delivered() {
  const sandbox = await startTestSandbox({ retry: 'none', secret })
  const receiver = await startReceiver()
  await sandbox.subscribe({ url: receiver.url, events: ['*'] })
  const event = await sandbox.emit('transfer.settled')
  const { id } = await sandbox.waitForDelivery({ eventId: event.id })
  const send = (body: string, changes: object = {}) =>
    sandbox.post(`/_sandbox/deliveries/${id}/send`, { body, ...changes })
  return { sandbox, receiver, event, id, send }
}

const verify = (received: { headers: object; body: Buffer }) =>
  verifySignature({
    body: received.body,
    header: (received.headers as Record<string, string>)['service-signature'],
    secret,
  })

test('POST deliveries/{id}/send sends other bytes under the same id, signed for them', async () => {
  const { sandbox, receiver, event, send } = await delivered()
  const { status, body } = await send('{"changed":"Ω"}')
  expect(status).toBe(201)
  expect(body).toMatchObject({ eventId: event.id, cause: 'replay', state: 'delivered', attempts: 1 })
  const [, edited] = receiver.received as [unknown, (typeof receiver.received)[0]]
  expect(edited.body.toString()).toBe('{"changed":"Ω"}')
  expect(edited.headers['service-event-id']).toBe(event.id)
  await verify(edited)
  expect(body.tries[0].request.body).toBe('{"changed":"Ω"}')
  await sandbox.replay(event.id)
  expect(receiver.received[2]?.body).toEqual(receiver.received[0]?.body)
})

test('is canceled until its attempt ends, so that a crash does not send the bytes of the event', async () => {
  const sandbox = await startTestSandbox({ retry: 'none', secret })
  const asked: ServerResponse[] = []
  const server = createServer((request, response) => {
    request.resume()
    asked.push(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  await sandbox.subscribe({ url: `http://127.0.0.1:${port}/`, events: ['*'] })
  const event = await sandbox.emit('transfer.settled')
  await vi.waitFor(() => expect(asked).toHaveLength(1))
  asked[0]?.end()
  const { id } = await sandbox.waitForDelivery({ eventId: event.id })
  const sent = sandbox.post(`/_sandbox/deliveries/${id}/send`, { body: '{}' })
  await vi.waitFor(() => expect(asked).toHaveLength(2))
  const canceled = await sandbox.get('/_sandbox/deliveries?state=canceled')
  expect(canceled.body.data).toMatchObject([{ eventId: event.id, attempts: 0, endedAt: expect.anything() }])
  asked[1]?.end()
  expect(await sent).toMatchObject({ body: { id: canceled.body.data[0].id, state: 'delivered' } })
})

test('bytes of the same length as the event are kept too', async () => {
  const { receiver, send } = await delivered()
  const body = receiver.received[0]?.body.toString().replace('settled', 'refused') as string
  const { body: record } = await send(body)
  expect(record.tries[0].request.body).toBe(body)
})

test.each([
  ['original', (first: string) => first],
  ['none', () => undefined],
])('with the signature %s', async (signature, expected) => {
  const { receiver, send } = await delivered()
  await send('{}', { signature })
  const [first, edited] = receiver.received.map(({ headers }) => headers['service-signature'] as string)
  expect(edited).toBe(expected(first as string))
})

test('with a wrong secret, and with an old t', async () => {
  const { receiver, send } = await delivered()
  await send('{}', { signature: 'wrong' })
  await send('{}', { ageSeconds: 900 })
  const [, wrong, old] = receiver.received as (typeof receiver.received)[0][]
  await expect(verify(wrong as never)).rejects.toMatchObject({ code: 'signature_mismatch' })
  await expect(verify(old as never)).rejects.toMatchObject({ code: 'timestamp_out_of_tolerance' })
})

test('rejects an unknown delivery, and one whose subscription is gone', async () => {
  const { sandbox, id, send } = await delivered()
  expect((await sandbox.post('/_sandbox/deliveries/dlv_nope/send', { body: '' })).status).toBe(404)
  expect((await send('{}', { signature: 'some' })).body.detail).toMatch(/must be one of fresh, original/)
  const { body } = await sandbox.get(`/_sandbox/deliveries/${id}`)
  await sandbox.request('DELETE', `/webhook-subscriptions/${body.subscriptionId}`)
  expect(await send('{}')).toMatchObject({ status: 409, body: { code: 'not_deliverable' } })
})

test('the attempt and the summary of it say what was edited; a retry of it is no edit', async () => {
  const { sandbox, receiver, send } = await delivered()
  const { body: wrong } = await send('{}', { signature: 'wrong', ageSeconds: 7 })
  const edited = { signature: 'wrong', ageSeconds: 7, isSameBody: false }
  expect(wrong).toMatchObject({ last: { edited }, tries: [{ edited }] })
  const same = receiver.received[0]?.body.toString() as string
  expect((await send(same)).body.last.edited).toEqual({
    signature: 'fresh',
    ageSeconds: 0,
    isSameBody: true,
  })
  const { body: retried } = await sandbox.post(`/_sandbox/deliveries/${wrong.id}/retry`, {})
  expect(retried).toMatchObject({ last: { edited: null }, tries: [{ edited }, { edited: null }] })
})
