import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { testSecret } from '../../src/testing/delivery.js'
import { fixture } from '../../src/testing/fixture.js'
import { gate, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

test('deliveries are accepted while all handler slots are overdue', async () => {
  const release = gate()
  let running = 0
  const receiver = createReceiver({
    secret: testSecret,
    store: rig.store({ max: 13 }),
    queue: localQueue({ concurrency: 10, pollSeconds: 0.1 }),
    handlerTimeoutSeconds: 1,
    leaseSeconds: 30,
    logger: false,
    async fallback() {
      running++
      await release.opened
    },
  })
  const deliver = async (id: string) => {
    const { body, headers } = await fixture('transfer.settled', { id })
    return (await receiver.receive({ headers, body })).status
  }
  await receiver.start()
  try {
    for (let i = 0; i < 10; i++) {
      expect(await deliver(`evt_overdue_${i}`)).toBe(200)
    }
    while (running < 10) {
      await sleep(20)
    }
    // Their budget ends, and the queue records that they failed.
    await sleep(1200)
    const statuses: number[] = []
    for (let i = 0; i < 40; i++) {
      statuses.push(await deliver(`evt_waiting_${i}`))
      await sleep(50)
    }
    expect(statuses.filter((status) => status !== 200)).toEqual([])
  } finally {
    release.open()
    await receiver.stop()
  }
})
