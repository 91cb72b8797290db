import { afterAll, expect, it } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, secret } from './deliver.js'

afterAll(removeFiles)

const nothings = [undefined, null]

const throwing = (thrown: unknown) => () => Promise.reject(thrown)

it.each(nothings)('the line of a handler that throws %s says so', async (thrown) => {
  const logger = lines()
  const options = { secret, now: clock, logger, fallback: throwing(thrown) }
  const receiver = createReceiver({ ...options, store: memoryStore() })
  expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_failed' })
  expect(logger.written).toEqual([
    expect.stringMatching(
      new RegExp(`^error .*\\(transfer\\.settled, attempt 1\\): handler_failed; thrown: ${thrown}; fix: `),
    ),
  ])
})

it.each(nothings)('the line of a schema that throws %s says so', async (thrown) => {
  const logger = lines()
  const schemas = {
    'transfer.settled': { '~standard': { version: 1, vendor: 'x', validate: throwing(thrown) } },
  }
  const options = { secret, now: clock, logger, fallback() {}, schemas: schemas as never }
  await createReceiver({ ...options, store: memoryStore() }).receive(await delivery())
  expect(logger.written.join()).toContain(
    `handler_failed: in the schema of transfer.settled; thrown: ${thrown}; `,
  )
})

it.each(nothings)('the event of a handler of the queue that throws %s says so', async (thrown) => {
  const store = sqliteStore(newFile())
  const queue = localQueue({ retry: { attempts: 1 } })
  const options = { secret, now: clock, store, queue, logger: lines(), fallback: throwing(thrown) }
  const receiver = createReceiver(options)
  await receiver.start({ announce: false })
  await receiver.receive(await delivery())
  await expect.poll(async () => (await receiver.inspect('evt_1'))?.state).toBe('dead')
  expect((await receiver.inspect('evt_1'))?.lastError).toBe(`handler_failed: ${thrown}`)
  expect(options.logger.written.join()).toContain(
    `is dead: no attempt is left; JobNotDone: handler_failed: ${thrown}; `,
  )
  await receiver.stop()
  await store.close()
})
