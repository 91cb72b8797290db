import { expect, test, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { testSecret } from '../../src/testing/delivery.js'
import { fixture } from '../../src/testing/fixture.js'
import { postgresRig } from './postgres-rig.js'

const rig = postgresRig()

test('a statement that would run for a minute ends with the claim, and gives its place back', async () => {
  const ran: string[] = []
  const receiver = createReceiver({
    secret: testSecret,
    // The driver gives up before the server does, which goes on with the statement.
    store: rig.store({ max: 5, query_timeout: 1500 }),
    queue: localQueue({ concurrency: 1, pollSeconds: 0.1, retry: { attempts: 1 } }),
    handlerTimeoutSeconds: 1,
    leaseSeconds: 2,
    logger: false,
    async fallback({ id }, { tx }) {
      ran.push(id)
      if (id === 'evt_slow') {
        await tx.query('SELECT pg_sleep(60)')
      }
    },
  })
  await receiver.start()
  for (const id of ['evt_slow', 'evt_next']) {
    const { body, headers } = await fixture('transfer.settled', { id })
    await receiver.receive({ headers, body })
  }
  const states = async () => (await receiver.list()).map(({ id, state }) => `${id} ${state}`).sort()
  const end = ['evt_next done', 'evt_slow dead']
  await vi.waitFor(async () => expect(await states()).toEqual(end), { timeout: 20_000, interval: 200 })
  expect(ran).toEqual(['evt_slow', 'evt_next'])
  await receiver.stop()
})
