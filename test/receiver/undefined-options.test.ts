import { Pool } from 'pg'
import { afterAll, expect, it } from 'vitest'
import { createReceiver, forward, signPayload, verifySignature } from '../../src/index.js'
import { localQueue } from '../../src/queues/local.js'
import { memoryStore } from '../../src/stores/memory.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { redisStore } from '../../src/stores/redis.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { openTelemetry } from '../../src/telemetries/opentelemetry.js'
import { deliveryOf, fixture, testSender } from '../../src/testing/index.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { secret } from './deliver.js'

/** `test/docs/optional-options.test.ts` checks the types. */

afterAll(removeFiles)

/** An object with these names, each of them `undefined`. */
const unset = (names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, undefined])) as object
const scheme = unset('content encoding key keyPrefix')
const retry = unset('attempts firstPauseSeconds longestPauseSeconds')
const redis = { call: async () => 'OK', pipeline: () => ({}) } as never

const open = () =>
  createReceiver({
    secret,
    store: sqliteStore(newFile(), unset('busySeconds maxQuarantined')),
    queue: localQueue({ retry, ...unset('concurrency pollSeconds onError') }),
    fallback: () => {},
    scheme,
    limits: unset('byType perResource'),
    ...unset('endpoint toleranceSeconds allowLongTolerance schemas environments requireEventIdHeader'),
    ...unset('inexactNumbers maxBodyBytes bodyTimeoutSeconds handlerTimeoutSeconds leaseSeconds undoSeconds'),
    ...unset('retentionSeconds pruneEverySeconds now onResult telemetry handlers resource breaker version'),
    ...unset('priorities quarantineRetentionSeconds'),
    logger: false,
  })

it.each<[string, () => unknown]>([
  ['memoryStore', () => memoryStore(unset('maxEvents now'))],
  [
    'postgresStore',
    () => postgresStore({ pool: new Pool(), ...unset('schema allowVolatile maxQuarantined pipelining') }),
  ],
  [
    'redisStore',
    () => redisStore({ client: redis, ...unset('prefix allowVolatile minReplicas replicaTimeoutSeconds') }),
  ],
  ['openTelemetry', () => openTelemetry(unset('tracerProvider meterProvider messagingConventions'))],
  ['readiness', () => open().readiness(unset('timeoutSeconds'))],
  ['stopOnSignals', () => open().stopOnSignals(unset('before beforeSeconds after drainSeconds'))()],
  [
    'forward',
    () => forward({ url: 'https://example.com', secret, ...unset('timeoutSeconds allowHttp') } as never),
  ],
])('%s takes undefined for every optional option', (_, build) => {
  expect(build).not.toThrow()
})

it('so do signing, verifying, and the operations of a receiver', async () => {
  const body = new TextEncoder().encode('{}')
  const header = await signPayload({ body, secret, scheme, ...unset('timestamp id') } as never)
  const checks = unset('toleranceSeconds allowLongTolerance now id')
  await verifySignature({ body, header, secret, scheme, ...checks } as never)
  const receiver = open()
  await receiver.start(unset('consume announce'))
  const sender = testSender({
    receiver,
    secret,
    scheme,
    ...unset('url now representation headers timeoutSeconds'),
  })
  const each = { scheme, ...unset('id createdAt representation environment product secret now ageSeconds') }
  const sent = await sender.send('transfer.settled', undefined, each)
  expect(sent.outcome).toBe('accepted')
  await sender.redeliver(sent, unset('ageSeconds'))
  await sender.reorder(
    [await fixture('transfer.settled', { ...each, data: undefined, secret })],
    unset('seed'),
  )
  await deliveryOf('{}', { ...each, secret })
  await receiver.list(
    unset('state type group resource root since until text id order limit after bodies allEndpoints'),
  )
  await receiver.quarantined(unset('code eventId order limit after bodies allEndpoints'))
  await receiver.failures(unset('state empty limit after allEndpoints'))
  await receiver.audits(unset('eventId subject limit after'))
  await receiver.stop(unset('drainSeconds'))
})
