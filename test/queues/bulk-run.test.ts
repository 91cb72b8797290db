import { describe, expect, test } from 'vitest'
import type { WebhookEvent } from '../../src/event/event.js'
import { audit, endpointOf, engines, flowRig, patiently } from './flow-rig.js'

const { places, program } = flowRig()

describe.each(engines)('a bulk run with %s', (engine) => {
  test('runs each event once in two processes, and a paused type stays paused', async () => {
    const place = places[engine]()
    const endpoint = endpointOf('bulk')
    const ran: string[] = []
    const options = { fallback: ({ id }: WebhookEvent) => void ran.push(id) }
    const here = await program(place, endpoint, options, false)
    const free: string[] = []
    const held: string[] = []
    for (let i = 0; i < 12; i++) {
      free.push(await here.send('transfer.settled'))
    }
    for (let i = 0; i < 3; i++) {
      held.push(await here.send('transfer.failed'))
    }
    for (const id of [...free, ...held]) {
      const { key } = (await here.receiver.inspect(id)) as { key: string }
      await here.inbox?.markDead(key, 'given up')
    }
    await here.receiver.pause({ type: 'transfer.failed' }, audit)
    for (let i = 0; i < 2; i++) {
      await program(place, endpoint, options)
    }

    const plan = await here.receiver.plan({ action: 'replay' })
    expect(plan).toMatchObject({ count: 15, isCapped: false })
    const run = await here.receiver.run(plan, { ...audit, canary: 0, perSecond: 1000 })
    expect(await run.finished()).toMatchObject({ state: 'done', applied: 15, failed: 0, skipped: {} })
    const isDone = (id: string) =>
      expect.poll(async () => (await here.receiver.inspect(id))?.state, patiently).toBe('done')
    for (const id of free) {
      await isDone(id)
    }
    // Long enough for several searches and sweeps of both.
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect([...ran].sort()).toEqual([...free].sort())
    for (const id of held) {
      expect(await here.receiver.inspect(id)).toMatchObject({ state: 'accepted', generation: 1, attempt: 0 })
    }

    await here.receiver.resume({ type: 'transfer.failed' }, audit)
    for (const id of held) {
      await isDone(id)
    }
    expect([...ran].sort()).toEqual([...free, ...held].sort())
    const again = await here.receiver.run(plan, { ...audit, canary: 0, perSecond: 1000 })
    expect(await again.finished()).toMatchObject({ applied: 0, skipped: { already_replayed: 15 } })
    expect(ran).toHaveLength(15)
  })
})
