import { trace } from '@opentelemetry/api'
import { afterAll, expect, it, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { clock, delivery, lines, secret, settled } from '../receiver/deliver.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { otelRig } from './otel-rig.js'

const rig = otelRig()
afterAll(async () => {
  await rig.close()
  removeFiles()
})

const patiently = { timeout: 15_000, interval: 20 }
const card = 'card 4111 1111 1111 1111'
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const event = { ...settled, data: { ...settled.data, note: card } }
const endpoint = 'private'

/** Receives what succeeds, fails, repeats and is rejected, on this receiver. Returns the requests. */
async function everything(receiver: ReturnType<typeof createReceiver>) {
  const headers = { traceparent, cookie: 'session=c00k1e', authorization: 'Bearer t0ken' }
  const requests = [
    await delivery(event, { headers }),
    await delivery(event, { headers }),
    await delivery({ ...event, id: 'evt_fails' }, { headers }),
    await delivery({ ...event, id: 'evt_wrong' }, { headers, secret: 'whsec_another_secret' }),
    await delivery({ ...event, id: 'evt_late' }, { headers, timestamp: 1_600_000_000 }),
    await delivery(`{"id":"evt_cut","note":"${card}`, { headers }),
    await delivery({ ...event, id: 'evt_schema', data: { note: card } }, { headers }),
  ]
  await rig.tracer.startActiveSpan('POST /webhooks', async (span) => {
    for (const request of requests) {
      await receiver.receive(request)
    }
    span.end()
  })
  return requests
}

/** Every attribute and label that there may be. A new one is a decision about privacy. */
const known = new Set([
  ...[
    ...['endpoint', 'event.type', 'event.id', 'outcome', 'code', 'source', 'attempt'],
    ...['secret.index', 'clock.direction'],
  ].map((name) => `webhook_inbox.${name}`),
  ...['system', 'operation.name', 'operation.type', 'destination.name', 'message.id'].map(
    (name) => `messaging.${name}`,
  ),
  'error.type',
])

/** The error that a handler throws: as verbose as errors of a database are. */
function failing({ id, data }: { id: string; data: unknown }): void {
  if (id === 'evt_fails') {
    const cause = new Error(`duplicate key: ${JSON.stringify(data)}`)
    throw Object.assign(new Error(`INSERT failed for ${card}`, { cause }), { data })
  }
}

it.each(['before the answer', 'by a worker'])(
  'a run %s puts no body, secret, signature or message on a span, a link, an event or a label',
  async (when) => {
    rig.reset()
    const telemetry = rig.telemetry({ messagingConventions: true })
    const isQueued = when === 'by a worker'
    const receiver = createReceiver({
      secret,
      now: clock,
      endpoint,
      logger: false,
      telemetry,
      fallback: failing as never,
      ...(isQueued
        ? { store: sqliteStore(newFile()), queue: localQueue({ retry: { attempts: 1 } }) }
        : { store: memoryStore() }),
    })
    await receiver.start()
    const requests = await everything(receiver)
    const runs = isQueued ? 3 : 4
    await vi.waitFor(
      () => expect(rig.spans().filter(({ name }) => name.startsWith('process'))).toHaveLength(runs),
      patiently,
    )
    const points = await rig.points(endpoint)
    await receiver.stop()

    const told = JSON.stringify([
      rig
        .spans()
        .map(({ name, attributes, links, events, status }) => [name, attributes, links, events, status]),
      points,
    ])
    expect(told).toContain('handler_failed')
    const signatures = requests.map(({ headers }) => (headers as Record<string, string>)['service-signature'])
    const digests = signatures.map((each) => /v1=(\w+)/.exec(String(each))?.[1])
    const forbidden = [
      '4111',
      'INSERT',
      'tr_1',
      'mobile_money',
      secret,
      'whsec',
      'c00k1e',
      't0ken',
      ...signatures,
      ...digests,
    ]
    expect(forbidden.filter((each) => told.includes(String(each)))).toEqual([])
    const ids = /evt_\w+/.exec(JSON.stringify(points))
    expect(ids).toBeNull()
    const all = [...rig.spans(), ...Object.values(points).flat()]
    const keys = all.flatMap(({ attributes }) => Object.keys(attributes))
    expect([...new Set(keys)].filter((key) => !known.has(key))).toEqual([])
  },
)

it('log lines have the message of a handler, and nothing of a body, a secret or a signature', async () => {
  const logger = lines()
  const options = { secret, now: clock, logger, endpoint, telemetry: rig.telemetry() } as const
  const fallback = ({ id }: { id: string }) => {
    trace.getActiveSpan()?.addEvent('seen')
    if (id === 'evt_fails') {
      throw new Error('the ledger is closed')
    }
  }
  const receiver = createReceiver({ ...options, store: memoryStore(), fallback })
  const requests = await everything(receiver)
  const written = logger.written.join('\n')
  expect(written).toContain('the ledger is closed')
  expect(written).toMatch(/trace_id=[0-9a-f]{32}/)
  const signatures = requests.map(({ headers }) => (headers as Record<string, string>)['service-signature'])
  const digests = signatures.map((each) => /v1=(\w+)/.exec(String(each))?.[1])
  const forbidden = [
    '4111',
    'tr_1',
    'mobile_money',
    secret,
    'whsec',
    'c00k1e',
    't0ken',
    ...signatures,
    ...digests,
  ]
  expect(forbidden.filter((each) => written.includes(String(each)))).toEqual([])
})
