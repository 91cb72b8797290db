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
  /** A receiver that has worked before trouble begins. */
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

  test('answers 503 while Redis is dead, and goes on when it is back', async () => {
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

  test('answers 503 while Redis stands still, runs nothing late, and goes on when it moves', async () => {
    const ledger = await open()
    server.pause()
    const ids = newIds(10)
    try {
      const results = await Promise.all([...ids, ...ids].map(ledger.deliver))
      expect(codes(results)).not.toContain(undefined)
    } finally {
      server.resume()
    }
    // The claims sent meanwhile are made now, and answered before this PING. They were answered 503, so nothing may run
    // for them, and they must be given back: the lease of 60 s is longer than the redelivery below has time for.
    await ledger.client.ping().catch(() => undefined)
    await sleep(300)
    expect(ledger.runs.size).toBe(5)
    await ledger.deliverUntilAcknowledged(ids)
    await ledger.audit()
    for (const id of ids) {
      expect(ledger.runs.get(id)).toBe(1)
    }
  })

  test('acknowledges nothing that Redis stood still for before it was done', async () => {
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

  test('answers 503 while Redis is out of memory, but finishes what it has begun', async () => {
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

  test('works on while Redis is slow, answers 503 when it is too slow, and recovers', async () => {
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

  test('survives connections that break again and again', async () => {
    const ledger = await open({ handle: () => sleep(10) })
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
    // A release that was lost with its connection leaves its lease to pass, which takes up to 60 s.
    await ledger.deliverUntilAcknowledged(ids, 100)
    await ledger.audit()
  }, 150_000)

  test('answers 503 while the network is apart, and recovers when it is together again', async () => {
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

test('a connection cut in silence is given up by a client with a socketTimeout', async () => {
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
