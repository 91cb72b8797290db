import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

afterAll(removeFiles)

test('an unknown option is one of localQueue', () => {
  expect(() => localQueue({ every: 1 } as never)).toThrow('every is not an option of localQueue')
})

test('without onError the console says that a search of localQueue failed', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => error.mockRestore())
  const { inbox } = sqliteStore(newFile())
  const broken = { ...inbox, due: () => Promise.reject(new Error('the disk is gone')) }
  const worker = { endpoint: 'default', run: async () => {}, markDead: async () => {} }
  onTestFinished(await localQueue({ pollSeconds: 3600 }).consume(worker, broken))
  await expect
    .poll(() => error.mock.calls.flat().join('\n'))
    .toContain('webhook-inbox: localQueue; Error: the disk is gone')
})
