import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { WebhookEvent } from '../../src/event/event.js'
import { audit, endpointOf, engines, flowRig, patiently } from './flow-rig.js'

const { places, program } = flowRig()

// One search finds 250 events.
test.each(engines)(
  'with priorities, %s runs the events of a pause before newer ones of their priority, and after those of a higher one',
  async (engine) => {
    const ran: string[] = []
    const { receiver, send } = await program(
      // With pg-boss, a sweep adds a second job for events that wait long, and that job may run earlier.
      { ...places[engine](), sweepSeconds: 3600 },
      endpointOf(engine),
      {
        priorities: { 'ledger.matched': 1 },
        async fallback({ type }: WebhookEvent) {
          ran.push(type)
          await sleep(150)
        },
      },
      false,
    )
    const ranOf = (type: string) => ran.filter((each) => each === type).length
    const sendAll = async (type: string, count: number) => {
      for (let i = 0; i < count; i++) {
        await send(type)
      }
    }
    await receiver.pause({ type: 'transfer.settled' }, audit)
    await sendAll('transfer.settled', 260)
    await sendAll('transfer.failed', 200)
    await receiver.start()
    // The jobs of the paused type were first in the list, so they are dropped by then.
    await expect.poll(() => ranOf('transfer.failed'), patiently).toBeGreaterThan(2)
    await receiver.resume({ type: 'transfer.settled' }, audit)
    await expect.poll(() => ranOf('transfer.settled'), patiently).toBeGreaterThan(20)
    await sendAll('ledger.matched', 20)
    await expect.poll(() => ranOf('transfer.settled'), patiently).toBe(260)
    expect(ranOf('transfer.failed')).toBeLessThan(100)
    const urgent = ran.lastIndexOf('ledger.matched')
    expect(ran.slice(urgent).filter((type) => type === 'transfer.settled').length).toBeGreaterThan(50)
  },
  120_000,
)
