import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisOptions } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { command, type RedisServer, startRedis } from '../servers/redis.js'
import { startTcpProxy, type TcpProxy } from '../servers/tcp-proxy.js'
import { newIds, openLedger } from './ledger.js'
import { clientPool } from './redis-clients.js'

const { connect } = clientPool()

const setups: Record<string, Omit<RedisOptions, 'replyMapping'>> = {
  'with the defaults of ioredis': {},
  'with timeouts': { maxRetriesPerRequest: 2, connectTimeout: 1000, socketTimeout: 1500 },
  'with a command timeout and no offline queue': { commandTimeout: 500, enableOfflineQueue: false },
}

let server: RedisServer
let proxy: TcpProxy
beforeAll(async () => {
  server = await startRedis({ appendonly: 'yes', appendfsync: 'always' })
})
beforeEach(async () => {
  proxy = await startTcpProxy(server.port)
})
afterEach(() => proxy.close())
afterAll(() => server.close())

const codes = (results: readonly { code?: string }[]) => new Set(results.map(({ code }) => code))

describe.each(Object.entries(setups))('a receiver %s', (_, options) => {
  /** Opens a receiver that has processed events before Redis fails. */
  async function open(settings?: Parameters<typeof openLedger>[1]) {
    const client = connect(proxy.port, options)
    if (client.status !== 'ready') {
      await new Promise((resolve) => client.once('ready', resolve))
    }
    const ledger = openLedger({ client }, settings)
    await ledger.receiver.start()
    await ledger.deliverUntilAcknowledged(newIds(5))
    return { ...ledger, client }
  }

  test('answers 503 while Redis is down, and recovers when it is back', async () => {
    const ledger = await open()
    await server.kill()
    const ids = newIds(10)
    const results = await Promise.all([...ids, ...ids].map(ledger.deliver))
    expect(codes(results)).not.toContain(undefined)
    expect(ledger.runs.size).toBe(5)
    await server.restart()
    await ledger.deliverUntilAcknowledged(ids)
    await ledger.audit()
    for (const id of ids) {
      expect(ledger.runs.get(id)).toBe(1)
    }
  })

  test('answers 503 while Redis is stopped, runs no handler late, and recovers when it continues', async () => {
    const ledger = await open()
    server.pause()
    const ids = newIds(10)
    try {
      const results = await Promise.all([...ids, ...ids].map(ledger.deliver))
      expect(codes(results)).not.toContain(undefined)
    } finally {
      server.resume()
    }
    // Redis runs the pending claims now, before this PING. Their deliveries were answered 503, so no handler may run and
    // each claim must be released. A lease of 60 s would outlast the redelivery below.
    await ledger.client.ping().catch(() => undefined)
    await sleep(300)
    expect(ledger.runs.size).toBe(5)
    await ledger.deliverUntilAcknowledged(ids)
    await ledger.audit()
    for (const id of ids) {
      expect(ledger.runs.get(id)).toBe(1)
    }
  })

  test('does not acknowledge an event when Redis stops before it is done', async () => {
    let stand = () => server.pause()
    const ledger = await open()
    const [id] = newIds(1) as [string]
    const interrupted = openLedger(
      { client: connect(proxy.port, { ...options, enableOfflineQueue: true }) },
      {
        handle: async () => {
          stand()
          stand = () => {}
        },
      },
    )
    try {
      expect((await interrupted.deliver(id)).status).toBe(503)
    } finally {
      server.resume()
    }
    await interrupted.deliverUntilAcknowledged([id], 100)
    await interrupted.audit()
    await ledger.audit()
  })

  test('answers 503 while Redis is out of memory, but finishes running events', async () => {
    let finish = () => {}
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const ledger = await open()
    const [early, ...late] = newIds(6) as [string, ...string[]]
    const worker = openLedger(
      { client: connect(server.port) },
      {
        timeoutSeconds: 10,
        handle: async () => {
          begin()
          await finished
        },
      },
    )
    const underWay = worker.deliver(early)
    await begun
    await command(server.port, 'CONFIG SET maxmemory 1')
    try {
      const results = await Promise.all(late.map(ledger.deliver))
      expect(codes(results)).toEqual(new Set(['store_unavailable']))
      finish()
      expect(await underWay).toMatchObject({ outcome: 'processed' })
      await ledger.audit()
    } finally {
      await command(server.port, 'CONFIG SET maxmemory 0')
    }
    await ledger.deliverUntilAcknowledged(late)
    for (const id of late) {
      expect(ledger.runs.get(id)).toBe(1)
    }
  })

  test('works while Redis is slow, answers 503 when it is too slow, and recovers', async () => {
    const ledger = await open()
    proxy.delay(50)
    await ledger.deliverUntilAcknowledged(newIds(5))
    proxy.delay(1500)
    const ids = newIds(5)
    const results = await Promise.all(ids.map(ledger.deliver))
    expect(codes(results)).toEqual(new Set(['store_unavailable']))
    proxy.delay(0)
    await ledger.deliverUntilAcknowledged(ids)
    await ledger.audit()
    for (const id of ids) {
      expect(ledger.runs.get(id)).toBe(1)
    }
  })

  test('survives connections that break repeatedly', async () => {
    const ledger = await open({ handle: () => sleep(10), leaseSeconds: 5 })
    const ids = newIds(60)
    const cuts = (async () => {
      for (let i = 0; i < 12; i++) {
        await sleep(50)
        proxy.cut()
      }
    })()
    const results = []
    for (let i = 0; i < ids.length; i += 5) {
      results.push(
        ...(await Promise.all(ids.slice(i, i + 5).flatMap((id) => [ledger.deliver(id), ledger.deliver(id)]))),
      )
      await sleep(20)
    }
    await cuts
    // When a connection breaks, its releases may be lost. Those leases have to expire first.
    await ledger.deliverUntilAcknowledged(ids, 100)
    await ledger.audit()
  }, 150_000)

  test('answers 503 during a network partition, and recovers afterwards', async () => {
    const ledger = await open()
    proxy.hold()
    const ids = newIds(10)
    const results = await Promise.all(ids.map(ledger.deliver))
    expect(codes(results)).not.toContain(undefined)
    proxy.release()
    await ledger.deliverUntilAcknowledged(ids, 100)
    await ledger.audit()
    for (const id of ids) {
      expect(ledger.runs.get(id)).toBe(1)
    }
  }, 150_000)
})

test('a client with a socketTimeout gives up a connection that was cut without a reset', async () => {
  const ledger = openLedger({ client: connect(proxy.port, { socketTimeout: 1000 }) })
  await ledger.deliverUntilAcknowledged(newIds(3))
  proxy.forget()
  const ids = newIds(10)
  const results = await Promise.all(ids.map(ledger.deliver))
  expect(codes(results)).not.toContain(undefined)
  await ledger.deliverUntilAcknowledged(ids)
  await ledger.audit()
})

test('a receiver that starts before Redis does works when Redis is there', async () => {
  await server.kill()
  const ledger = openLedger({ client: connect(proxy.port) })
  const ids = newIds(5)
  const results = await Promise.all(ids.map(ledger.deliver))
  expect(codes(results)).toEqual(new Set(['store_unavailable']))
  await server.restart()
  await ledger.deliverUntilAcknowledged(ids)
  expect(ledger.receiver.describe()).toContain('a host crash: yes')
  for (const id of ids) {
    expect(ledger.runs.get(id)).toBe(1)
  }
})
