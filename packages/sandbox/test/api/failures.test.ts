import { expect, onTestFinished, test } from 'vitest'
import type { Api } from '../../src/api/app.js'
import { emit } from '../../src/control/emit.js'
import { listDeliveries } from '../../src/delivery/deliveries.js'
import { createSubscription } from '../../src/delivery/subscriptions.js'
import { openService } from '../../src/open-service.js'
import type { SandboxOptions } from '../../src/options/options.js'
import { resolveOptions } from '../../src/options/resolve.js'
import { serviceApp } from '../../src/service-app.js'
import { shapeA, startReceiver, startTestSandbox } from '../rig.js'

/** A service whose database a test can break. */
function brittleService(options: SandboxOptions = { clock: 'virtual' }) {
  const failures: unknown[] = []
  const service = openService(resolveOptions(options), {
    onAttempt() {},
    onFailure: (error) => failures.push(error),
  })
  onTestFinished(async () => {
    service.progress.close()
    await service.courier.close()
    service.database.close()
  })
  const app = serviceApp(service, { addressOf: () => ({ host: '127.0.0.1', port: 1 }) })
  return { service, failures, app }
}

async function send(app: Api, method: string, path: string, body?: object, headers: object = {}) {
  const response = await app.fetch(
    new Request(`http://127.0.0.1:1${path}`, {
      method,
      headers: {
        Authorization: 'Bearer sk_sandbox_local',
        'Content-Type': 'application/json',
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    }),
    {},
  )
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return { status: response.status, headers: response.headers, body: (await response.json()) as any }
}

test('an internal error is a 500 problem without details, and the error is reported', async () => {
  const { service, failures, app } = brittleService()
  service.database.exec('ALTER TABLE transfers RENAME TO elsewhere')
  const { status, headers, body } = await send(app, 'GET', '/v1/transfers')
  expect(status).toBe(500)
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(body).toEqual({
    type: 'about:blank',
    title: 'The sandbox failed',
    status: 500,
    detail: 'The sandbox failed. Its log says why.',
    code: 'internal_error',
    requestId: headers.get('request-id'),
  })
  expect(failures.map(String)).toEqual([expect.stringContaining('no such table: transfers')])
})

test('a 500 is not kept under its Idempotency-Key: the next request with it runs', async () => {
  const { service, app } = brittleService()
  const key = { 'Idempotency-Key': 'k' }
  service.database.exec(
    "CREATE TRIGGER full BEFORE INSERT ON transfers BEGIN SELECT RAISE(ABORT, 'full'); END",
  )
  expect((await send(app, 'POST', '/v1/transfers', shapeA(), key)).status).toBe(500)
  service.database.exec('DROP TRIGGER full')
  const made = await send(app, 'POST', '/v1/transfers', shapeA(), key)
  expect([made.status, made.headers.get('idempotency-replayed')]).toEqual([201, null])
  const again = await send(app, 'POST', '/v1/transfers', shapeA(), key)
  expect([again.body.id, again.headers.get('idempotency-replayed')]).toEqual([made.body.id, 'true'])
})

test('an attempt whose end cannot be stored is reported once, and repeated after a pause', async () => {
  const { service, failures } = brittleService()
  const { database, courier } = service
  const { url, received } = await startReceiver()
  database.transaction(() => createSubscription(service, { url, events: ['*'] }))()
  database.exec("CREATE TRIGGER full BEFORE INSERT ON attempts BEGIN SELECT RAISE(ABORT, 'full'); END")
  emit(service, 'evidence.exported')
  await courier.idle()
  expect(failures.map(String)).toEqual([expect.stringContaining('full')])
  expect(received).toHaveLength(1)
  database.exec('DROP TRIGGER full')
  await expect.poll(() => received.length, { timeout: 20_000 }).toBe(2)
  await courier.idle()
  expect(listDeliveries(database, { limit: 1 })).toMatchObject([{ state: 'delivered', attempts: 1 }])
})

test('deliveries that cannot be read are reported once, and searched again after a pause', async () => {
  const { service, failures } = brittleService()
  const { database, courier } = service
  const { url, received } = await startReceiver()
  database.transaction(() => createSubscription(service, { url, events: ['*'] }))()
  emit(service, 'evidence.exported')
  database.exec('ALTER TABLE deliveries RENAME TO elsewhere')
  await courier.idle()
  expect(failures.map(String)).toEqual([expect.stringContaining('no such table: deliveries')])
  database.exec('ALTER TABLE elsewhere RENAME TO deliveries')
  await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1)
})

test('a step of a transfer that cannot be stored is reported once, and repeated after a pause', async () => {
  const { service, failures, app } = brittleService({ settleAfterSeconds: 0 })
  service.database.exec(
    "CREATE TRIGGER full BEFORE UPDATE ON transfers BEGIN SELECT RAISE(ABORT, 'full'); END",
  )
  const { body } = await send(app, 'POST', '/v1/transfers', shapeA())
  await expect.poll(() => failures.map(String)).toEqual([expect.stringContaining('full')])
  service.database.exec('DROP TRIGGER full')
  const status = async () => (await send(app, 'GET', `/v1/transfers/${body.id}`)).body.status
  await expect.poll(status, { timeout: 20_000 }).toBe('settled')
  expect(failures).toHaveLength(1)
})

test('a sandbox that was closed answers 503 with a problem', async () => {
  const sandbox = await startTestSandbox()
  await sandbox.close()
  const response = await sandbox.fetch(
    new Request('http://sandbox.test/v1/wallets', { headers: { Authorization: `Bearer ${sandbox.apiKey}` } }),
  )
  expect(response.status).toBe(503)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(await response.json()).toMatchObject({ status: 503, code: 'closing' })
})
