import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../src/database/open.js'
import { createSandbox, OptionError } from '../src/index.js'
import { copySubscription } from './delivery/rig.js'
import { shapeA, startReceiver, startTestSandbox, stateFile, type TestSandbox } from './rig.js'

describe('createSandbox', () => {
  test('serves the API and delivers webhooks, in one process', async () => {
    const sandbox = await startTestSandbox({ clock: 'real', settleAfterSeconds: 0.02 })
    const receiver = await startReceiver()
    await sandbox.subscribe({ url: receiver.url, events: ['transfer.*'] })
    const { body } = await sandbox.post('/v1/transfers', shapeA())
    const delivery = await sandbox.waitForDelivery({ type: 'transfer.settled' })
    expect(delivery.attempt.response?.status).toBe(200)
    expect(receiver.received[0]?.event.data.transferId).toBe(body.id)
  })

  test('gives each subscription its own secret, or the one that it brings', async () => {
    const sandbox = await startTestSandbox()
    const url = 'http://127.0.0.1:9/'
    const first = await sandbox.subscribe({ url, events: ['*'] })
    const second = await sandbox.subscribe({ url, events: ['*'] })
    expect(first.secret).not.toBe(second.secret)
    expect((await sandbox.subscribe({ url, events: ['*'], secret: 'whsec_mine' })).secret).toBe('whsec_mine')
  })

  test.each(['hex', 'base64'] as const)(
    'makes secrets that a scheme with a key in %s can decode',
    async (key) => {
      const scheme = { key, keyPrefix: 'whsec_' }
      const sandbox = await startTestSandbox({ scheme })
      const receiver = await startReceiver()
      const { secret } = await sandbox.subscribe({ url: receiver.url, events: ['*'] })
      await sandbox.emit('evidence.made')
      const { attempt } = await sandbox.waitForDelivery({ type: 'evidence.made' })
      expect(secret).toMatch(/^whsec_/)
      expect(attempt.failure).toBeNull()
      expect(attempt.response?.status).toBe(200)
    },
  )

  test('records an attempt that cannot be signed as failed, and goes on', async () => {
    const sandbox = await startTestSandbox({ scheme: { key: 'hex' } })
    const receiver = await startReceiver()
    await sandbox.subscribe({ url: receiver.url, events: ['bad.*'], secret: 'not-hex' })
    await sandbox.subscribe({ url: receiver.url, events: ['good.*'] })
    await sandbox.emit('bad.key')
    await sandbox.emit('good.key')
    const good = await sandbox.waitForDelivery({ type: 'good.key' })
    expect(good.attempt.response?.status).toBe(200)
    const bad = await sandbox.waitForDelivery({ type: 'bad.key' })
    expect(bad.attempt.failure?.message).toContain('scheme.key')
    expect(bad.attempt).toMatchObject({
      timings: { ended: 0 },
      request: { headers: [], body: '' },
      response: null,
      failure: { code: 'invalid_secret' },
      faults: [],
    })
  })

  test.each([
    ['replay', (sandbox: TestSandbox) => sandbox.replay({ id: 'evt_1' } as never)],
    ['emit', (sandbox: TestSandbox) => sandbox.emit(true as never)],
    [
      'subscribe',
      (sandbox: TestSandbox) =>
        sandbox.subscribe({ url: 'http://127.0.0.1:9/', events: ['*'], secret: true as never }),
    ],
  ])('rejects a value of the wrong type in %s, and the process lives on', async (_, call) => {
    const sandbox = await startTestSandbox()
    await expect((async () => call(sandbox))()).rejects.toThrow(TypeError)
  })

  test('waits for a past or a future delivery, and names the filter in its error', async () => {
    const sandbox = await startTestSandbox()
    const receiver = await startReceiver(({ event }) => (event.type === 'evidence.refused' ? 422 : 200))
    await sandbox.subscribe({ url: receiver.url, events: ['*'] })
    const future = sandbox.waitForDelivery({ status: 422 })
    const event = await sandbox.emit('evidence.refused')
    expect((await future).eventId).toBe(event.id)
    expect((await sandbox.waitForDelivery({ eventId: event.id })).attempt.number).toBe(1)
    await expect(
      sandbox.waitForDelivery({ type: 'transfer.settled' }, { timeoutSeconds: 0.05 }),
    ).rejects.toThrow('No delivery matched {"type":"transfer.settled"} within 0.05 s.')
  })

  test('rejects every wait when it is closed', async () => {
    const sandbox = await startTestSandbox()
    const closed = (waiting: Promise<unknown>) => expect(waiting).rejects.toThrow('The sandbox was closed.')
    const waiting = [
      closed(sandbox.waitForDelivery()),
      closed(sandbox.waitForDelivery({}, { timeoutSeconds: Number.POSITIVE_INFINITY })),
    ]
    await new Promise((resolve) => setTimeout(resolve, 20))
    await sandbox.close()
    await Promise.all(waiting)
  })

  test('replays an event ten times concurrently, with one id and one body', async () => {
    const sandbox = await startTestSandbox()
    const receiver = await startReceiver()
    await sandbox.subscribe({ url: receiver.url, events: ['*'] })
    const event = await sandbox.emit('transfer.settled')
    await sandbox.idle()
    const deliveries = await sandbox.replay(event.id, { times: 10, concurrent: true })
    expect(deliveries.map(({ state }) => state)).toEqual(Array(10).fill('delivered'))
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1)
  })

  test('rejects a target that is not permitted, and an option that does not fit', async () => {
    const sandbox = await startTestSandbox()
    for (const url of [
      'http://example.com/',
      'http://169.254.169.254/',
      'ftp://127.0.0.1/',
      'http://a:b@127.0.0.1/',
    ]) {
      await expect(sandbox.subscribe({ url, events: ['*'] })).rejects.toThrow(/^url /)
    }
    for (const options of [
      { port: -1 },
      { seed: 0.5 },
      { clock: 'fast' },
      { retry: [-1] },
      { nope: 1 },
      { apiKey: 'a b' },
    ]) {
      await expect(createSandbox(options as object)).rejects.toBeInstanceOf(OptionError)
    }
  })

  test('rejects if the port is in use, and leaves nothing open', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    await expect(createSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})

describe('subscriptions', () => {
  test('show their secret only in the response to their creation', async () => {
    const sandbox = await startTestSandbox()
    const { status, body } = await sandbox.post('/webhook-subscriptions', {
      url: 'http://127.0.0.1:9/',
      events: ['transfer.settled', 'transfer.settled', 'transfer.*'],
      description: 'Ours',
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      status: 'enabled',
      events: ['transfer.settled', 'transfer.*'],
      description: 'Ours',
    })
    expect(body.secret).toMatch(/^whsec_local_/)
    const { secret: _, ...rest } = body
    for (const prefix of ['', '/v1']) {
      expect((await sandbox.get(`${prefix}/webhook-subscriptions/${body.id}`)).body).toEqual(rest)
      expect((await sandbox.get(`${prefix}/webhook-subscriptions`)).body.data).toEqual([rest])
    }
    expect((await sandbox.request('DELETE', `/webhook-subscriptions/${body.id}`)).status).toBe(204)
    expect((await sandbox.get(`/webhook-subscriptions/${body.id}`)).status).toBe(404)
  })

  test.each([
    [{ url: undefined }, 'url'],
    [{ url: 'http://example.com/' }, 'url'],
    [{ url: 'https://192.0.2.1/' }, 'url'],
    [{ url: 'http://127.0.0.1.evil.test/' }, 'url'],
    [{ url: 'http://[::ffff:169.254.169.254]/' }, 'url'],
    [{ url: 'http://0251.0376.0251.0376/' }, 'url'],
    [{ events: [] }, 'events'],
    [{ events: 'transfer.settled' }, 'events'],
    [{ events: [7] }, 'events[0]'],
    [{ events: undefined }, 'events'],
    [{ description: 'x'.repeat(256) }, 'description'],
    [{ envelope: 'xml' }, 'envelope'],
    [{ secret: 'mine' }, 'secret'],
  ])('are 422 where a field does not fit: %j', async (changes, param) => {
    const sandbox = await startTestSandbox()
    const body = { url: 'http://127.0.0.1:9/', events: ['*'], ...changes }
    const answer = await sandbox.post('/webhook-subscriptions', body)
    expect([answer.status, answer.body.param]).toEqual([422, param])
  })

  test('are at most 10,000', async () => {
    const state = stateFile()
    const given = { url: 'http://127.0.0.1:9/', events: ['*'] }
    const before = await startTestSandbox({ state })
    await before.subscribe(given)
    await before.close()
    const database = openDatabase(state)
    copySubscription(database, 9998)
    database.close()

    const sandbox = await startTestSandbox({ state })
    await sandbox.subscribe(given)
    const { status, body } = await sandbox.post('/webhook-subscriptions', given)
    expect([status, body.code]).toEqual([422, 'too_many_subscriptions'])
  })

  test('must have https: with --strict-https', async () => {
    const sandbox = await startTestSandbox({ strictHttps: true })
    const { status } = await sandbox.post('/webhook-subscriptions', {
      url: 'http://127.0.0.1:9/',
      events: ['*'],
    })
    expect(status).toBe(422)
  })
})
