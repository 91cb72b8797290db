import { afterAll, expect, it } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, lines, secret } from './deliver.js'

afterAll(removeFiles)

const fact = 'warn webhook-inbox: these durations are in seconds, not milliseconds, and look too long: '
const fix = '; fix: give seconds, or ignore this if they are right'

async function warningsOf(options: object, queue = localQueue()): Promise<string[]> {
  const logger = lines()
  const store = sqliteStore(newFile())
  const receiver = createReceiver({ secret, now: clock, logger, store, queue, fallback() {}, ...options })
  await receiver.start({ announce: false })
  await receiver.stop()
  await store.close()
  return logger.written
}

it.each([
  ['handlerTimeoutSeconds', 10_000],
  ['handlerTimeoutSeconds', 3601],
  ['handlerTimeoutSeconds', 3000],
  ['leaseSeconds', 60_000],
  ['bodyTimeoutSeconds', 5_000],
  ['bodyTimeoutSeconds', 601],
  ['pruneEverySeconds', 60_000],
  ['undoSeconds', 10_000],
  ['toleranceSeconds', 60_000],
])('start() warns of %s %d', async (name, value) => {
  expect(await warningsOf({ [name]: value })).toEqual([`${fact}${name} ${value}${fix}`])
})

it('start() names every such duration in one line', async () => {
  const options = { leaseSeconds: 60_000, breaker: { failures: 3, retryAfterSeconds: 30_000 } }
  const queue = localQueue({ pollSeconds: 10_000, retry: { firstPauseSeconds: 1_000 } })
  const names =
    'leaseSeconds 60000, breaker.retryAfterSeconds 30000, queue.pollSeconds 10000, queue.retry.firstPauseSeconds 1000'
  expect(await warningsOf(options, queue)).toEqual([fact + names + fix])
})

it.each([
  ['the defaults', {}],
  ['an hour', { handlerTimeoutSeconds: 3600, leaseSeconds: 3600, bodyTimeoutSeconds: 600 }],
  ['ten hours between deletions', { pruneEverySeconds: 36_000, undoSeconds: 86_400 }],
  ['no deletions', { pruneEverySeconds: false }],
])('start() is silent about %s', async (_, options) => {
  expect(await warningsOf(options, localQueue({ pollSeconds: 600 }))).toEqual([])
})
