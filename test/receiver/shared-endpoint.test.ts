import { afterAll, expect, it } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createGate, createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, secret } from './deliver.js'

afterAll(removeFiles)

const shared =
  "warn webhook-inbox: another receiver of this process uses this store and the endpoint 'default': each event runs in only one of them, and the other answers duplicate; fix: give each its own endpoint, or stop() the one that you replace"

/** Builds receivers on one store, each with functions of its own. */
function bench(common: object = {}) {
  const logger = lines()
  const store = memoryStore()
  const build = (options: object = {}) =>
    createReceiver({
      secret,
      now: clock,
      logger,
      store,
      handlers: {},
      fallback: () => {},
      ...common,
      ...options,
    })
  return { logger, build, store }
}

const quietly = { announce: false } as const

it('start() warns once that another receiver takes the events of the same endpoint and store', async () => {
  const { logger, build } = bench()
  const receivers = [build(), build(), build()]
  for (const receiver of receivers) {
    await receiver.start(quietly)
  }
  expect(logger.written).toEqual([shared])
  expect(await receivers[0]?.receive(await delivery())).toMatchObject({ outcome: 'processed' })
  expect(await receivers[1]?.receive(await delivery())).toMatchObject({ outcome: 'duplicate' })
  await Promise.all(receivers.map((receiver) => receiver.stop()))
})

it('without start() the first delivery warns', async () => {
  const { logger, build } = bench()
  const [one, two] = [build(), build()]
  await one.receive(await delivery())
  expect(logger.written).toEqual([])
  await two.receive(await delivery())
  await two.receive(await delivery())
  expect(logger.written).toEqual([shared])
})

it('two middlewares of one endpoint are two receivers', async () => {
  const { logger, store } = bench()
  const gates = [1, 2].map(() => createGate({ secret, now: clock, logger, store }))
  for (const gate of gates) {
    await gate.receive(await delivery(), () => {})
  }
  expect(logger.written).toEqual([shared])
})

it('start() warns of two receivers that both run the events of a queue', async () => {
  const store = sqliteStore(newFile())
  const { logger, build } = bench({ store, queue: localQueue() })
  const [one, two] = [build(), build()]
  await one.start(quietly)
  await two.start(quietly)
  expect(logger.written).toEqual([shared])
  await Promise.all([one.stop(), two.stop()])
  await store.close()
})

it('a receiver that replaces a stopped one is silent', async () => {
  const { logger, build } = bench()
  const [one, two, three] = [build(), build(), build()]
  await one.start(quietly)
  await one.receive(await delivery())
  await one.stop()
  await two.start(quietly)
  await two.stop()
  await three.receive(await delivery())
  expect(logger.written).toEqual([])
})

it('a producer beside a consumer is silent', async () => {
  const store = sqliteStore(newFile())
  const { logger, build } = bench({ store, queue: localQueue() })
  const [producer, consumer] = [build(), build()]
  await producer.start({ ...quietly, consume: false })
  await consumer.start(quietly)
  await producer.receive(await delivery())
  await Promise.all([producer.stop(), consumer.stop()])
  expect(logger.written).toEqual([])
  await store.close()
})

it.each([
  ['other endpoints', { endpoint: 'other' }],
  ['another store', { store: memoryStore() }],
])('receivers with %s are silent', async (_, options) => {
  const { logger, build } = bench()
  await build().receive(await delivery())
  await build(options).receive(await delivery())
  expect(logger.written).toEqual([])
})

it('receivers with the same functions are silent', async () => {
  const { logger, build } = bench({ handlers: {}, fallback: () => {} })
  await build().receive(await delivery())
  await build().receive(await delivery())
  expect(logger.written).toEqual([])
})
