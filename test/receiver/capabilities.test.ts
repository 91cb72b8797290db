import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { delivery, secret } from './deliver.js'
import { accepted } from './worker-rig.js'

afterAll(removeFiles)
afterEach(() => {
  vi.useRealTimers()
})

const base = { secret, logger: false, fallback: () => {} } as const

it('a receiver says whether its store has an inbox', () => {
  expect(createReceiver({ ...base, store: memoryStore() }).hasInbox).toBe(false)
  expect(createReceiver({ ...base, store: sqliteStore(newFile()) }).hasInbox).toBe(true)
})

it('a queue without resumed() runs what another process resumed', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const audit = { reason: 'a ticket', actor: 'an operator' }
  const { receiver, worker, job, path, inspect } = await accepted()
  await receiver.pause({}, audit)
  await expect(worker.run(job)).rejects.toThrow('the event is held back')
  expect(await inspect()).toMatchObject({ state: 'accepted' })
  const elsewhere = createReceiver({ ...base, store: sqliteStore(path) })
  await elsewhere.resume({}, audit)
  // This process then no longer trusts what it read of the pauses.
  vi.advanceTimersByTime(60_000)
  await worker.run(job)
  expect(await inspect()).toMatchObject({ state: 'done' })
})

it.each([
  ['nothing', undefined],
  ['a body alone', { body: new Uint8Array() }],
  ['a method that is no text', { method: 1, headers: {}, body: new Uint8Array() }],
])('receive rejects %s as a mistake of the program', async (_, request) => {
  const receiver = createReceiver({ ...base, store: memoryStore() })
  await expect(receiver.receive(request as never)).rejects.toMatchObject({
    code: 'invalid_option',
    detail: 'a request needs headers, and a string as its method',
  })
})

it('receive takes a request without a method for a POST', async () => {
  const receiver = createReceiver({ ...base, store: memoryStore() })
  const { method: _, ...request } = await delivery()
  expect(await receiver.receive(request)).toMatchObject({ code: 'timestamp_out_of_tolerance' })
})
