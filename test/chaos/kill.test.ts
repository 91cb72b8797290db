import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { check } from './checker.js'
import { modeNames, modes, pointsOf } from './modes.js'
import { killAt } from './nemesis/kill.js'
import { seed } from './seed.js'
import { openWorld } from './world.js'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres?.close())

describe(`killed at every step, seed ${seed}`, () => {
  test.each(modeNames)('%s', async (mode) => {
    const world = await openWorld({ mode, seed, postgres })
    try {
      let isOver = false
      const traffic = (async () => {
        while (!isOver) {
          const events = await Promise.all(Array.from({ length: 6 }, () => world.sender.event()))
          await world.sender.sendAll(events, { mischief: 0.2, atOnce: 3 })
        }
      })()
      for (const point of pointsOf(modes[mode])) await killAt(world, point)
      isOver = true
      await traffic
      const report = await check(world)
      expect(report.broken).toEqual([])
      console.log(mode, JSON.stringify(report))
    } finally {
      await world.close()
    }
  })
})
