import { expect, test } from 'vitest'
import { testSender } from '../../src/testing/sender.js'
import { newEvent } from '../stores/postgres-rig.js'
import { endpointOf, flowRig, patiently } from './flow-rig.js'

const { places, program } = flowRig()

type Data = { readonly resource: string }

// One search of the sweep returns 250 events.
test.each(['pg-boss', 'bullmq'] as const)(
  '%s finds an event that lost its job behind many of its type whose resources are at their limit',
  async (engine) => {
    const endpoint = endpointOf(engine)
    const { receiver, ran, inbox } = await program(
      places[engine](),
      endpoint,
      {
        limits: { perResource: { perSecond: 0.001 } },
        resource: ({ data }: { data: Data }) => data.resource,
      } as object,
      false,
    )
    const sender = testSender({ receiver })
    const resources = Array.from({ length: 300 }, (_, i) => `account ${i}`)
    for (const some of [resources, resources]) {
      for (let first = 0; first < some.length; first += 50) {
        const page = some.slice(first, first + 50)
        await Promise.all(page.map((resource) => sender.send('transfer.settled', { resource } as never)))
      }
    }
    await receiver.start()
    await expect.poll(() => ran.length, patiently).toBe(300)
    const lost = newEvent({}, { endpoint, type: 'transfer.settled' })
    await inbox?.accept(lost, async () => {})
    // Its content is not that of its body, so its worker makes it dead.
    await expect.poll(async () => (await inbox?.read(lost.key))?.state, patiently).toBe('dead')
    expect(ran).toHaveLength(300)
  },
  120_000,
)
