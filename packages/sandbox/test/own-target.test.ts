import { describe, expect, test } from 'vitest'
import { targetProblem } from '../src/delivery/target.js'
import { createSandbox, SubscriptionError } from '../src/index.js'
import { startReceiver, startTestSandbox } from './rig.js'

describe('a subscription to the sandbox itself', () => {
  test.each(['127.0.0.1', 'localhost', '[::1]', '127.1.2.3', '0x7f.1'])('at %s is rejected', async (host) => {
    const sandbox = await startTestSandbox()
    const url = `http://${host}:${new URL(sandbox.url).port}/_sandbox/reset`
    const { status, body } = await sandbox.post('/webhook-subscriptions', { url, events: ['*'] })
    expect([status, body.param, body.detail]).toEqual([422, 'url', 'url must not be this sandbox.'])
    const failure = await sandbox.subscribe({ url, events: ['*'] }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(SubscriptionError)
    expect(failure).toMatchObject({ code: 'invalid_url', param: 'url' })
  })

  test('from the start is rejected', async () => {
    const forwardTo = ['http://localhost:4010/v1/webhooks']
    const failure = await createSandbox({ port: 4010, forwardTo }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ option: 'forwardTo', message: 'forwardTo must not be this sandbox' })
  })

  test.each([
    ['http://localhost/', 80],
    ['https://localhost/', 443],
  ])('at %s, the port of its scheme, is rejected', (url, port) => {
    const rules = { strictHttps: false, allowRemote: false }
    expect(targetProblem(url, { ...rules, ownPort: () => port })).toBe('must not be this sandbox')
    expect(targetProblem(url, { ...rules, ownPort: () => 0 })).toBeUndefined()
  })

  test('through a name that the check cannot know reaches no control plane', async () => {
    const sandbox = await startTestSandbox()
    const { id } = await sandbox.subscribe({ url: 'http://127.0.0.1:9/', events: ['*'] })
    const headers = { 'Service-Signature': 't=1,v1=00', 'Service-Event-Id': 'evt_1' }
    const { status, body } = await sandbox.post('/_sandbox/reset', {}, headers)
    expect([status, body.code]).toEqual([403, 'foreign_origin'])
    expect((await sandbox.get(`/webhook-subscriptions/${id}`)).status).toBe(200)
  })
})

describe('the URL of a subscription', () => {
  test('is stored and shown in one form', async () => {
    const sandbox = await startTestSandbox({ allowRemote: true })
    for (const [given, stored] of [
      ['http://127.0.0.1:9', 'http://127.0.0.1:9/'],
      ['HTTP://LOCALHOST:80/a/../b', 'http://localhost/b'],
      ['https://EXAMPLE.com:443/hooks?x=1', 'https://example.com/hooks?x=1'],
      ['http://0x7f.1:9/', 'http://127.0.0.1:9/'],
    ]) {
      const { body } = await sandbox.post('/webhook-subscriptions', { url: given, events: ['*'] })
      expect([given, body.url]).toEqual([given, stored])
    }
  })

  test('of forwardTo may be given in another form', async () => {
    const receiver = await startReceiver()
    const given = receiver.url.replace('http://127.0.0.1', 'HTTP://127.0.0.1')
    const sandbox = await startTestSandbox({ forwardTo: [given] })
    expect(sandbox.forwarding).toMatchObject([{ url: receiver.url }])
  })
})

test('waitForDelivery finds an attempt of the past by each field, the oldest first', async () => {
  const sandbox = await startTestSandbox({ retry: [1] })
  const statuses = [503, 200, 200, 404, 404]
  const receiver = await startReceiver(() => statuses.shift() ?? 200)
  await sandbox.subscribe({ url: receiver.url, events: ['*'] })
  const events = []
  for (const type of ['evidence.first', 'evidence.second', 'evidence.third']) {
    events.push(await sandbox.emit(type))
    await sandbox.advance({ seconds: 2 })
  }
  const [first, second, third] = events.map(({ id }) => id)
  const found = async (filter: Parameters<typeof sandbox.waitForDelivery>[0]) => {
    const { eventId, attempt } = await sandbox.waitForDelivery(filter, { timeoutSeconds: 1 })
    return [eventId, attempt.number, attempt.response?.status]
  }
  expect(await found({})).toEqual([first, 1, 503])
  expect(await found({ status: 200 })).toEqual([first, 2, 200])
  expect(await found({ type: 'evidence.second' })).toEqual([second, 1, 200])
  expect(await found({ eventId: third as string, status: 404 })).toEqual([third, 1, 404])
  await expect(found({ eventId: second as string, status: 404 })).rejects.toThrow('No delivery matched')
  await expect(found({ outcome: 'processed' })).rejects.toThrow('No delivery matched')
})
