import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { inWorld, underTraffic } from './in-world.js'
import { type ModeName, modeNames, modes } from './modes.js'
import { smallDisk } from './nemesis/disk-full.js'
import { storm } from './nemesis/storm.js'
import { seed } from './seed.js'
import { types } from './world.js'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres?.close())

const queued = modeNames.filter((name) => 'queue' in modes[name])

describe.concurrent(`seed ${seed}`, () => {
  test.each(queued)('an event whose worker was killed three times is still retried, on %s', async (mode) => {
    await inWorld({ mode, seed, postgres, settings: { attempts: 3 } }, async ({ runners, sender, until }) => {
      await sender.send(await sender.event({ behavior: 'deadly' }))
      const deaths = () => runners.reduce((sum, each) => sum + each.deaths, 0)
      await until('three processes have died', () => deaths() >= 3, 60)
    })
  })

  test.each([
    ['postgres inline', process.env.LONG ? 10_000 : 1000],
    ['sqlite + local', 1000],
    ['redis inline', 1000],
  ] as const)(
    'many deliveries of one event to four processes do not delay others, on %s: %i deliveries',
    async (mode, count) => {
      const fleet = Array.from({ length: 4 }, () => ({ role: 'both' as const }))
      const settings = { leaseSeconds: 10, handlerTimeoutSeconds: 8 }
      await inWorld({ mode, seed, postgres, fleet, settings }, async (world) => {
        const { sent, atOnce } = await storm(world, count)
        expect(sent).toBeGreaterThan(2)
        expect(atOnce).toBe(sent)
      })
    },
  )

  test.each(['postgres + pg-boss'] as const)(
    'two versions of the program on one table, in a rolling deploy, on %s',
    async (mode) => {
      const [first] = types
      const old = { role: 'both' as const, types: [first] }
      const fleet = [old, old, { role: 'both' as const }, { role: 'both' as const }]
      await inWorld({ mode, seed, postgres, fleet }, async (world) => {
        const [one, other, ...newer] = world.members
        // A later version first adds to the tables, so that programs of this version continue to work.
        await world.backend.sql?.('ALTER TABLE webhook_inbox.events ADD COLUMN added_later text')
        await world.backend.sql?.('INSERT INTO webhook_inbox.migrations VALUES (99, 1)')
        const ports = () => newer.map(({ port }) => port)
        await underTraffic(world, async () => {
          for (const leaving of [one, other]) {
            const events = [1, 2, 3, 4, 5].map(() => world.sender.event({ type: 'payment.returned' }))
            await world.sender.sendAll(await Promise.all(events), { ports })
            await leaving?.stop()
          }
        })
      })
    },
  )
})

const disks: readonly [ModeName, number][] = [
  ['sqlite + local', 4],
  ['postgres inline', 160],
  ['redis inline', 8],
]

test.for(disks)(`seed ${seed}: a full disk, on %s with %i MB`, async ([mode, megabytes], { skip }) => {
  const disk = smallDisk(megabytes)
  if (!disk) {
    return skip('this process may not mount a tmpfs')
  }
  const server = mode === 'postgres inline' ? await postgresOn(disk.path) : undefined
  try {
    await inWorld({ mode, seed, directory: disk.path, ...(server && { postgres: server }) }, async (world) =>
      underTraffic(world, async () => {
        disk.fill()
        const refusals = () =>
          [...world.sender.ledger.entries.values()].filter(({ answers }) =>
            [...answers.keys()].some((answer) => answer.startsWith('503')),
          )
        await world.until('deliveries are rejected', () => refusals().length > 2)
        await sleep(500)
        disk.makeRoom()
        // Without room for its log Postgres stops, and needs a restart.
        if (server) {
          await server.stop('immediate')
          await server.start()
        }
      }),
    )
  } finally {
    await server?.close()
    disk.remove()
  }
})

/** Starts a server with its data below a path. */
async function postgresOn(path: string): Promise<PostgresServer> {
  const before = process.env.TMPDIR
  process.env.TMPDIR = path
  try {
    return await startPostgres()
  } finally {
    if (before === undefined) {
      delete process.env.TMPDIR
    } else {
      process.env.TMPDIR = before
    }
  }
}
