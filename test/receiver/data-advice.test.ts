import { afterEach, expect, it } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, secret, settled } from './deliver.js'

afterEach(removeFiles)

const number = (literal: string) => `${JSON.stringify(settled).slice(0, -2)},"x":${literal}}}`
const asText = 'ask the sender to send the number as a string'

/** The fix in the line of one delivery. */
async function fixFor(body: unknown, options: object = {}): Promise<string | undefined> {
  const logger = lines()
  const store = sqliteStore(newFile())
  const receiver = createReceiver({ secret, now: clock, logger, store, fallback() {}, ...options })
  await receiver.receive(await delivery(body as never))
  await store.close()
  return /fix: (.*?); see /.exec(logger.written.join())?.[1]
}

it('data that does not fit its schema has no advice on numbers', async () => {
  const fix = await fixFor({ ...settled, data: { status: 'settled' } })
  expect(fix).toBe('correct the schema and replay the event; a replay needs a queue such as localQueue()')
})

it('data that does not fit its schema comes again from the sender if the store keeps no event', async () => {
  const fix = await fixFor({ ...settled, data: { status: 'settled' } }, { store: memoryStore() })
  expect(fix).toBe('correct the schema; the sender delivers again')
})

it('a number in quarantine is rounded and verified again, because a replay does nothing there', async () => {
  expect(await fixFor(number('9007199254740993'))).toBe(
    `${asText}, or set inexactNumbers: 'round' and verify again (webhook-inbox inbox verify-again)`,
  )
})

it('a number that was rejected comes again from the sender', async () => {
  const fix = await fixFor(number('9007199254740993'), { store: memoryStore() })
  expect(fix).toBe(`${asText}, or set inexactNumbers: 'round'; the sender delivers again`)
})

it('rounding does not help a number that is too large where numbers are rounded already', async () => {
  expect(await fixFor(number('1e999'), { inexactNumbers: 'round' })).toBe(asText)
})

it('a number that an event of the queue has is rounded and replayed', async () => {
  const store = sqliteStore(newFile())
  const base = { secret, now: clock, store, fallback() {} }
  const rounding = createReceiver({ ...base, logger: false, queue: localQueue(), inexactNumbers: 'round' })
  await rounding.receive(await delivery(number('9007199254740993')))
  const logger = lines()
  const refusing = createReceiver({ ...base, logger, queue: localQueue() })
  await refusing.start({ announce: false })
  await expect.poll(() => logger.written.join()).toContain(' is dead')
  await refusing.stop()
  await store.close()
  expect(logger.written.join()).toContain(
    `fix: set inexactNumbers: 'round' and replay the event, or ${asText}`,
  )
})
