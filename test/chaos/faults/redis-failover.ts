import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { startRedis } from '../../servers/redis.js'
import { startSentinels } from '../../servers/sentinel.js'
import { startTcpProxy } from '../../servers/tcp-proxy.js'
import { check } from '../checker.js'
import { startTraffic } from '../traffic.js'
import { openWorld } from '../world.js'
import type { Fault, Seen } from './fault.js'

interface Safety {
  /** Settings of Redis itself. */
  readonly config?: Readonly<Record<string, string>>
  /** The option of `redisStore`. */
  readonly minReplicas?: number
}

/** How long the replicas get nothing before the master dies. */
const lagSeconds = 1

/** Kills the master while its two replicas lag behind. Three Sentinels promote one of them. */
const failover =
  ({ config = {}, minReplicas = 0 }: Safety) =>
  async (seed: number): Promise<Seen> => {
    const master = await startRedis({ appendonly: 'yes', ...config })
    const replicaof = `127.0.0.1 ${master.port}`
    const replicas = await Promise.all([1, 2].map(() => startRedis({ appendonly: 'yes', replicaof })))
    const stream = await startTcpProxy(master.port)
    const followers = replicas.map(({ port }) => new Redis(port))
    const areLinked = async () => {
      const states = await Promise.all(followers.map((each) => each.info('replication')))
      return states.every((state) => state.includes('master_link_status:up'))
    }
    const sentinels = await startSentinels(master.port)
    const world = await openWorld({
      mode: 'redis inline',
      seed,
      settings: { sentinels: sentinels.ports, minReplicas },
      backend: { addresses: {}, proxies: [], leftovers: async () => [], close: async () => {} },
    })
    const { ledger } = world.sender
    try {
      await world.until('the Sentinels know the replicas', () =>
        knowReplicas(sentinels.ports, replicas.length),
      )
      const stop = startTraffic(world, { atOnce: 8, pauseMs: 20 })
      await sleep(3000)
      // Sentinel corrects the address after some seconds, so the replicas use the proxy only for the fault.
      await Promise.all(followers.map((each) => each.replicaof('127.0.0.1', stream.port)))
      await world.until('the replicas are linked again', areLinked)
      await sleep(500)
      stream.hold()
      await sleep(lagSeconds * 1000)
      const before = ledger.acknowledged.length
      const bytesBehind = await lag(master.port, followers)
      await master.kill()
      stream.cut()
      await world.until(
        'an event is acknowledged by the new master',
        () => ledger.acknowledged.length > before,
        60,
      )
      await sleep(2000)
      await stop()
      // A sender that did not receive the answer delivers again.
      for (const entry of ledger.acknowledged) {
        await world.sender.attempt(entry)
      }
      return { report: await check(world), counts: { acknowledgedBefore: before, bytesBehind } }
    } finally {
      for (const each of followers) {
        each.disconnect()
      }
      await world.close()
      await sentinels.close()
      await stream.close()
      await Promise.all(replicas.map((each) => each.close()))
      await master.close()
    }
  }

/** How many bytes of the master its best replica does not have. */
async function lag(port: number, followers: readonly Redis[]): Promise<number> {
  const client = new Redis(port)
  const offset = async (each: Redis, name: string) =>
    Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(await each.info('replication'))?.[1])
  try {
    const all = await Promise.all(followers.map((each) => offset(each, 'slave_repl_offset')))
    return (await offset(client, 'master_repl_offset')) - Math.max(...all)
  } finally {
    client.disconnect()
  }
}

/** A Sentinel that knows no replica has nothing to promote. */
async function knowReplicas(ports: readonly number[], count: number): Promise<boolean> {
  const counts = await Promise.all(
    ports.map(async (port) => {
      const sentinel = new Redis(port)
      sentinel.on('error', () => {})
      try {
        const [replicas, others] = (await Promise.all([
          sentinel.call('sentinel', 'replicas', 'inbox'),
          sentinel.call('sentinel', 'sentinels', 'inbox'),
        ])) as [unknown[], unknown[]]
        return replicas.length === count && others.length === 2
      } finally {
        sentinel.disconnect()
      }
    }),
  )
  return counts.every((isReady) => isReady)
}

export const redisFailovers: readonly Fault[] = [
  { name: 'redis-failover', isKept: false, run: failover({}) },
  {
    name: 'redis-failover-min-replicas-to-write',
    isKept: false,
    run: failover({ config: { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '1' } }),
  },
  { name: 'redis-failover-minReplicas', isKept: true, run: failover({ minReplicas: 1 }) },
]
