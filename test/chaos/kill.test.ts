import { afterAll, beforeAll, describe, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { inWorld, underTraffic } from './in-world.js'
import { modeNames, modes, pointsOf } from './modes.js'
import { killAt } from './nemesis/kill.js'
import { seed } from './seed.js'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres?.close())

describe(`seed ${seed}: a process killed`, () => {
  test.concurrent.each(modeNames)('at every step, on %s', async (mode) => {
    await inWorld({ mode, seed, postgres }, (world) =>
      underTraffic(world, async () => {
        for (const point of world.random.shuffle(pointsOf(modes[mode]))) await killAt(world, point)
      }),
    )
  })

  const queued = modeNames.filter((name) => 'queue' in modes[name])
  test.concurrent.each(queued)(
    'three times on the same event, which is not dead for that, on %s',
    async (mode) => {
      await inWorld({ mode, seed, postgres, settings: { attempts: 3 } }, async (world) => {
        await world.sender.send(await world.sender.event({ behavior: 'deadly' }))
        const deaths = () => world.runners.reduce((sum, each) => sum + each.deaths, 0)
        await world.until('three processes have died', () => deaths() === 3, 60)
      })
    },
  )
})
