import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, secret } from './deliver.js'

/** Of the whole process. The runner has listeners of its own, which would end the run. */
let others: NodeJS.UnhandledRejectionListener[] = []
const unhandled: unknown[] = []
const note = (reason: unknown) => void unhandled.push(reason)

beforeEach(() => {
  others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', note)
})
afterEach(() => {
  process.off('unhandledRejection', note)
  for (const other of others) {
    process.on('unhandledRejection', other)
  }
  unhandled.length = 0
})
afterAll(removeFiles)

/** `throw failure()`, where `failure` is an async function that fails itself. */
function throwing(): never {
  throw Promise.reject(new Error('the currency is unknown'))
}
const logger = { info: throwing, warn: throwing, error: throwing }
const queue = localQueue()
const schemas = { 'transfer.settled': { '~standard': { version: 1, vendor: 'x', validate: throwing } } }

it.each([
  ['the handler', { fallback: throwing }],
  ['an async handler', { fallback: async () => throwing() }],
  ['a schema', { schemas }],
  ['resource()', { resource: throwing, queue }],
  ['secret()', { secret: throwing }],
  ['now()', { now: throwing }],
  ['onResult()', { onResult: throwing }],
  ['the logger', { logger, secret: 'another secret of 24 bytes' }],
  ['telemetry', { telemetry: { delivered: throwing, traceIds: throwing } }],
])('a promise that %s throws does not end the process when it rejects', async (_, options) => {
  const store = 'queue' in options ? sqliteStore(newFile()) : memoryStore()
  const given = { secret, now: clock, logger: lines(), fallback() {}, store, ...options }
  const { outcome } = await createReceiver(given as never).receive(await delivery())
  expect(outcome).not.toBe('accepted')
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(unhandled).toEqual([])
})
