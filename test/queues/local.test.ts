import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { type QueueSettings, queueSuite } from '../../src/testing/queue-suite.js'
import { bundle, type Program } from '../setup/bundle.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { startVictim } from './victim.js'

let victim: Program
beforeAll(async () => {
  victim = await bundle(join(import.meta.dirname, 'local-victim.ts'))
})
afterAll(() => {
  victim.remove()
  removeFiles()
})

describe('the local queue on SQLite', () => {
  const path = newFile()
  queueSuite(
    test.concurrent,
    ({ concurrency, retry }: QueueSettings) => {
      const store = sqliteStore(path)
      const queue = localQueue({ concurrency, retry, pollSeconds: 0.1 })
      return { store, queue, close: () => store.close() }
    },
    { startVictim: (settings) => startVictim(victim.path, path, settings), recoverySeconds: 30 },
  )
})
