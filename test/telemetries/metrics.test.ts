import type { Histogram } from '@opentelemetry/sdk-metrics'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { clock, delivery, now, secret, settled } from '../receiver/deliver.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { otelRig } from './otel-rig.js'

const rig = otelRig()

afterEach(() => rig.reset())

afterAll(async () => {
  await rig.close()
  removeFiles()
})

const patiently = { timeout: 15_000, interval: 20 }

const common = { secret, now: clock, logger: false } as const

/** Receives an event whose handler outlives its claim. */
async function loseClaim(endpoint: string) {
  const real = memoryStore()
  const store = {
    ...real,
    async once(event: never, work: never) {
      await real.once(event, work)
      return { state: 'lost' } as const
    },
  }
  const telemetry = rig.telemetry()
  const receiver = createReceiver({ ...common, endpoint, store, fallback: () => {}, telemetry })
  await receiver.receive(await delivery())
}

describe('metrics', () => {
  // The first test: a provider makes its metrics once.
  it('have the names and units of docs/telemetry.md, descriptions, and buckets up to ten seconds or a week', async () => {
    const queue = localQueue({ retry: { attempts: 2, firstPauseSeconds: 0.01 } })
    const telemetry = rig.telemetry({ messagingConventions: true })
    const options = { ...common, store: sqliteStore(newFile()), queue, telemetry }
    const fallback = ({ id }: { id: string }) =>
      id === settled.id ? Promise.reject(new Error('no')) : undefined
    const receiver = createReceiver({ ...options, fallback })
    await receiver.start()
    await receiver.receive(await delivery(settled, { timestamp: now + 9 }))
    await receiver.receive(await delivery({ ...settled, id: 'evt_2' }))
    await vi.waitFor(
      async () => expect((await receiver.health()).counts).toMatchObject({ dead: 1, done: 1 }),
      patiently,
    )
    await loseClaim('default')
    const found = await rig.metrics()
    await receiver.stop()

    const own = found.filter(({ descriptor }) => descriptor.name.startsWith('webhook_inbox.'))
    expect(Object.fromEntries(own.map(({ descriptor: { name, unit } }) => [name, unit]))).toEqual({
      'webhook_inbox.deliveries': '{delivery}',
      'webhook_inbox.receipt.lag': 's',
      'webhook_inbox.done.lag': 's',
      'webhook_inbox.clock.skew': 's',
      'webhook_inbox.clock.comparisons': '{delivery}',
      'webhook_inbox.run.duration': 's',
      'webhook_inbox.claims.lost': '{claim}',
      'webhook_inbox.retries': '{run}',
      'webhook_inbox.deaths': '{event}',
      'webhook_inbox.events.pending': '{event}',
      'webhook_inbox.events.dead': '{event}',
      'webhook_inbox.deliveries.quarantined': '{delivery}',
      'webhook_inbox.events.oldest_pending.age': 's',
    })
    for (const { descriptor } of found) {
      expect(descriptor.description, descriptor.name).toMatch(/^[A-Z].+\.$/)
    }
    const unitOf = (name: string) => found.find(({ descriptor }) => descriptor.name === name)?.descriptor.unit
    expect(unitOf('messaging.process.duration')).toBe('s')
    expect(unitOf('messaging.client.consumed.messages')).toBe('{message}')

    const ends = (name: string) => {
      const [point] = found.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? []
      const boundaries = (point?.value as Histogram | undefined)?.buckets.boundaries
      return [boundaries?.at(0), boundaries?.at(-1)]
    }
    expect(ends('webhook_inbox.run.duration')).toEqual([0.005, 10])
    expect(ends('webhook_inbox.receipt.lag')).toEqual([0.1, 604_800])
    expect(ends('webhook_inbox.done.lag')).toEqual([0.1, 604_800])
  })

  it('have every figure, with labels that are few and say nothing of an event', async () => {
    const store = sqliteStore(newFile())
    let attempts = 0
    const fallback = () => (++attempts > 3 ? undefined : Promise.reject(new Error('private')))
    const queue = localQueue({ retry: { attempts: 2, firstPauseSeconds: 0.01 } })
    const telemetry = rig.telemetry({ messagingConventions: true })
    const receiver = createReceiver({
      ...common,
      endpoint: 'bank',
      secret: ['whsec_new_secret_1', secret],
      store,
      queue,
      fallback,
      telemetry,
    })
    await receiver.start()
    for (const id of ['evt_x1', 'evt_x2', 'evt_x2']) {
      await receiver.receive(await delivery({ ...settled, id }, { timestamp: now + 9 }))
    }
    await receiver.receive(await delivery('{"id"', { timestamp: now - 3 }))
    await receiver.receive(await delivery(settled, { secret: 'whsec_another_secret' }))
    await vi.waitFor(
      async () => expect((await receiver.health()).counts).toMatchObject({ dead: 1, done: 1 }),
      patiently,
    )
    const points = await rig.points('bank')
    await receiver.stop()

    const endpoint = { 'webhook_inbox.endpoint': 'bank' }
    const signed = { ...endpoint, 'webhook_inbox.secret.index': 1 }
    const type = { 'webhook_inbox.event.type': 'transfer.settled' }
    expect(points['webhook_inbox.deliveries']).toEqual([
      { value: 2, attributes: { ...signed, ...type, 'webhook_inbox.outcome': 'accepted' } },
      { value: 1, attributes: { ...signed, ...type, 'webhook_inbox.outcome': 'duplicate' } },
      {
        value: 1,
        attributes: {
          ...signed,
          'webhook_inbox.outcome': 'quarantined',
          'webhook_inbox.code': 'invalid_json',
        },
      },
      {
        value: 1,
        attributes: {
          ...endpoint,
          'webhook_inbox.outcome': 'rejected',
          'webhook_inbox.code': 'signature_mismatch',
        },
      },
    ])
    expect(points['webhook_inbox.retries']).toMatchObject([{ attributes: endpoint }])
    expect(points['webhook_inbox.deaths']).toEqual([{ value: 1, attributes: { ...endpoint, ...type } }])
    expect(points['webhook_inbox.events.dead']).toEqual([{ value: 1, attributes: {} }])
    expect(points['webhook_inbox.events.pending']).toEqual([{ value: 0, attributes: {} }])
    expect(points['webhook_inbox.deliveries.quarantined']).toEqual([{ value: 1, attributes: {} }])
    expect(points['webhook_inbox.events.oldest_pending.age']).toEqual([{ value: 0, attributes: {} }])
    expect(points['webhook_inbox.receipt.lag']).toMatchObject([{ attributes: endpoint, value: { count: 2 } }])
    expect(points['webhook_inbox.done.lag']).toMatchObject([{ attributes: endpoint, value: { count: 1 } }])
    const ahead = { ...endpoint, 'webhook_inbox.clock.direction': 'ahead' }
    const behind = { ...endpoint, 'webhook_inbox.clock.direction': 'behind' }
    expect(points['webhook_inbox.clock.skew']).toEqual([
      { attributes: ahead, value: 27 },
      { attributes: behind, value: 3 },
    ])
    expect(points['webhook_inbox.clock.comparisons']).toEqual([
      { attributes: ahead, value: 3 },
      { attributes: behind, value: 1 },
    ])
    const runs = points['webhook_inbox.run.duration'] as { value: { count: number }; attributes: object }[]
    expect(runs.map(({ value }) => value.count).reduce((a, b) => a + b)).toBe(4)
    const consumed = points['messaging.client.consumed.messages'] as { value: number }[]
    expect(consumed.map(({ value }) => value).reduce((a, b) => a + b)).toBe(4)
    expect(points['messaging.process.duration']).toHaveLength(2)
    const errors = consumed.map((point) => (point as { attributes?: object }).attributes)
    expect(errors).toMatchObject([{ 'error.type': 'handler_failed' }, {}])
    expect(errors[1]).not.toHaveProperty('error.type')
    expect((points['messaging.process.duration'] ?? [])[1]?.attributes).not.toHaveProperty('error.type')
    expect(points['webhook_inbox.claims.lost'] ?? []).toEqual([])
    expect(runs.map(({ attributes }) => attributes)).toStrictEqual([
      { ...endpoint, ...type, 'webhook_inbox.code': 'handler_failed' },
      { ...endpoint, ...type },
    ])

    const labels = JSON.stringify(
      Object.values(points).flatMap((all) => all.map(({ attributes }) => attributes)),
    )
    for (const secretOrId of ['evt_', 'tr_1', 'private', 'whsec', 'v1=', 'http']) {
      expect(labels).not.toContain(secretOrId)
    }
  })

  it('no longer read an inbox that is not watched', async () => {
    let reads = 0
    const counts = { accepted: 0, failed: 0, done: 0, dead: 0, quarantined: 0 }
    const unwatch = rig.telemetry().watch?.(async () => {
      reads++
      return { counts, oldestUnprocessedSeconds: 0 } as never
    })
    await rig.metrics()
    expect(reads).toBe(1)
    unwatch?.()
    await rig.metrics()
    expect(reads).toBe(1)
  })

  it('an event that waits for a retry is pending', async () => {
    const receiver = createReceiver({
      ...common,
      store: sqliteStore(newFile()),
      queue: localQueue({ retry: { firstPauseSeconds: 3600 } }),
      fallback: () => Promise.reject(new Error('not yet')),
      telemetry: rig.telemetry(),
    })
    await receiver.start()
    await receiver.receive(await delivery())
    await vi.waitFor(async () => expect((await receiver.health()).counts.failed).toBe(1), patiently)
    expect((await rig.points('default'))['webhook_inbox.events.pending']).toMatchObject([{ value: 1 }])
    await receiver.stop()
  })

  it('a lost claim is counted', async () => {
    await loseClaim('lost')
    expect((await rig.points('lost'))['webhook_inbox.claims.lost']).toEqual([
      { value: 1, attributes: { 'webhook_inbox.endpoint': 'lost' } },
    ])
  })
})
