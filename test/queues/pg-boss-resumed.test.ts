import { expect, it } from 'vitest'
import type { WebhookEvent } from '../../src/event/event.js'
import { createReceiver } from '../../src/index.js'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { testSecret } from '../../src/testing/delivery.js'
import { eventually } from '../../src/testing/laws.js'
import { testSender } from '../../src/testing/sender.js'
import { boss, closing, onError, openPgBoss, pool, program } from './pg-boss-rig.js'

openPgBoss()

it('runs the events of a short pause before newer ones, also more than one search finds', async () => {
  const ran: string[] = []
  const receiver = createReceiver({
    secret: testSecret,
    store: postgresStore({ pool }),
    queue: pgBossQueue({ boss, concurrency: 2, pollSeconds: 0.05, onError }),
    endpoint: 'short-pause',
    async fallback({ type }: WebhookEvent) {
      ran.push(type)
      await new Promise((resolve) => setTimeout(resolve, 10))
    },
    logger: false,
  })
  closing.push(() => receiver.stop())
  const ranOf = (type: string) => ran.filter((each) => each === type).length
  const audit = { reason: 'a short pause', actor: 'suite' }
  const sender = testSender({ receiver })
  await receiver.pause({ type: 'transfer.settled' }, audit)
  for (let i = 0; i < 280; i++) {
    await sender.send('transfer.settled')
  }
  for (let i = 0; i < 150; i++) {
    await sender.send('transfer.failed')
  }
  await receiver.start()
  // The jobs of the paused type were first in the list, so they are dropped by then.
  await eventually(async () => ranOf('transfer.failed') > 2 || undefined)
  await receiver.resume({ type: 'transfer.settled' }, audit)
  await eventually(async () => ranOf('transfer.settled') === 280 || undefined)
  expect(ranOf('transfer.failed')).toBeLessThan(75)
})

it('explains an event that waits for its job without the promise of a search', async () => {
  const { receiver, sender } = program('explained', { concurrency: 1 }, () => end)
  let endNow = () => {}
  const end = new Promise<void>((resolve) => {
    endNow = resolve
  })
  await receiver.start()
  const { eventId: first = '' } = await sender.send('transfer.settled')
  await eventually(async () => (await receiver.explain(first)).reason === 'running' || undefined)
  const { eventId: second = '' } = await sender.send('transfer.settled')
  const { reason, sentence } = await receiver.explain(second)
  endNow()
  expect(reason).toBe('due')
  expect(sentence).toContain('It runs when the queue reaches its job.')
  expect(sentence).not.toContain('pollSeconds')
})
