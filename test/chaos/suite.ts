import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { check } from './checker.js'
import { medianLatency, untilLatencyIsBack } from './latency.js'
import type { Sent } from './ledger.js'
import { runMix } from './mix.js'
import { type Mode, type ModeName, modes, pointsOf } from './modes.js'
import { nemesesOf } from './nemesis/all.js'
import { kill, killAt } from './nemesis/kill.js'
import { brew, poison, poisons, reuseId } from './nemesis/poison.js'
import { seed } from './seed.js'
import { startTraffic } from './traffic.js'
import { openWorld, type World } from './world.js'

/** Duration of the random mix, in seconds. */
const mixSeconds = Number(process.env.CHAOS_SECONDS ?? (process.env.LONG ? 60 : 4))

/** Tests one mode. Each nemesis has its own test on the same database. The last test mixes all of them at random. */
export function chaosSuite(name: ModeName): void {
  const mode: Mode = modes[name]

  describe.concurrent(`${name}, seed ${seed}`, () => {
    let world: World
    let latency: number
    beforeAll(async () => {
      world = await openWorld({ mode: name, seed })
      latency = await medianLatency(world)
    })
    afterAll(() => world?.close())

    /** Checks all events sent so far, those of earlier tests included. */
    async function withstand(strike: () => Promise<void>): Promise<void> {
      const stop = startTraffic(world)
      try {
        await strike()
      } finally {
        await stop()
      }
      await untilLatencyIsBack(world, latency)
      expect(await complaints(await check(world))).toEqual([])
    }

    async function complaints({ broken }: { broken: readonly string[] }): Promise<readonly string[]> {
      if (broken.length > 0) {
        for (const { role, log } of world.members) {
          console.error(role, log.slice(-3000))
        }
      }
      return broken
    }

    test.sequential.each(poisons)('poison: $name', async (each) => {
      const { sent, isAcknowledged } = await brew(each, world)
      const entry = world.sender.ledger.open(sent)
      const deaths = world.members.map((member) => member.deaths)
      await world.sender.attempt(entry)
      const right = each.isEvent
        ? /^200 (processed|accepted)$/
        : isAcknowledged
          ? /^200 quarantined$/
          : /^400 /
      expect([...entry.answers.keys()]).toEqual([expect.stringMatching(right)])
      expect(world.members.map((member) => member.deaths)).toEqual(deaths)
    })

    test.sequential('poison: an id used before, with other content', async () => {
      const { first, second } = await reuseId(world)
      const answers = (sent: Sent) => [...(world.sender.ledger.entries.get(sent.id)?.answers.keys() ?? [])]
      // On a busy machine the first answer may come too late. The retry then finds the event done.
      expect(answers(first).at(-1)).toMatch(/^200 (processed|accepted|duplicate)$/)
      expect(answers(second)).toEqual([world.backend.inbox ? '200 quarantined' : '400 rejected'])
    })

    test.sequential('half-open and reset connections, single bytes, and lost responses', () =>
      withstand(async () => {
        const events = await Promise.all(Array.from({ length: 20 }, () => world.sender.event()))
        expect(await world.sender.sendAll(events, { mischief: 0.7 })).toBe(20)
      }))

    test.sequential(`kill -9 at every step: ${pointsOf(mode).join(', ')}`, () =>
      withstand(async () => {
        for (const point of world.random.shuffle(pointsOf(mode))) {
          await killAt(world, point)
        }
      }))

    const others = nemesesOf(mode).filter((each) => each !== kill && each !== poison)
    test.sequential.each(others)('$name', (nemesis) => withstand(() => nemesis.strike(world)))

    test.sequential(`random faults for ${mixSeconds} s`, async () => {
      const report = await runMix(world, mixSeconds)
      expect(await complaints(report)).toEqual([])
      const { sent, deliveries, effects, dead, deaths } = report
      console.info(
        `${name}: ${sent} events in ${deliveries} deliveries, ${effects} effects, ${dead} dead, ${deaths} processes died`,
      )
    })
  })
}
