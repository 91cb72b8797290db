import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type PostgresServer, startPostgres } from '../../servers/postgres.js'
import { startRedirect } from '../../servers/redirect.js'
import { startTcpProxy } from '../../servers/tcp-proxy.js'
import { check } from '../checker.js'
import { startTraffic } from '../traffic.js'
import { openWorld } from '../world.js'
import type { Fault, Seen } from './fault.js'

/** How long the replica gets nothing before the primary dies. */
const lagSeconds = 1

/** Kills the primary while its replica lags behind, and promotes the replica. What the network holds is gone. */
const failover =
  (synchronous: boolean) =>
  async (seed: number): Promise<Seen> => {
    const settings = { wal_level: 'replica', max_wal_senders: '5', hot_standby: 'on', wal_keep_size: '64MB' }
    const primary = await startPostgres(settings)
    const stream = await startTcpProxy(primary.port)
    const replica = await startPostgres(settings, stream)
    const address = await startRedirect(primary.port)
    if (synchronous) {
      await say(primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
      await say(primary, 'SELECT pg_reload_conf()')
    }
    const server = {
      ...primary,
      port: address.port,
      url: primary.url.replace(`:${primary.port}/`, `:${address.port}/`),
      createDatabase: async (name: string) =>
        (await primary.createDatabase(name)).replace(`:${primary.port}/`, `:${address.port}/`),
    }
    try {
      const world = await openWorld({ mode: 'postgres + local', seed, postgres: server })
      try {
        const stop = startTraffic(world, { atOnce: 8, pauseMs: 20 })
        await sleep(3000)
        stream.hold()
        await sleep(lagSeconds * 1000)
        const acknowledged = world.sender.ledger.acknowledged.length
        await primary.kill()
        stream.cut()
        await say(replica, 'SELECT pg_promote()')
        address.to(replica.port)
        await world.until('an event is acknowledged again', () => {
          return world.sender.ledger.acknowledged.length > acknowledged
        })
        await sleep(3000)
        await stop()
        return {
          report: await check(world, { mayDie: true }),
          counts: { acknowledgedBefore: acknowledged },
        }
      } finally {
        await world.close()
      }
    } finally {
      await address.close()
      await replica.close()
      await stream.close()
      await primary.close()
    }
  }

async function say({ url }: PostgresServer, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  await client.query(sql)
  await client.end()
}

export const postgresFailovers: readonly Fault[] = [
  { name: 'postgres-failover-synchronous', isKept: true, run: failover(true) },
  { name: 'postgres-failover-asynchronous', isKept: false, run: failover(false) },
]
