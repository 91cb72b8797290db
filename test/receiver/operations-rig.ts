import { afterAll, beforeEach, expect } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret, settled } from './deliver.js'

export const audit = { reason: 'a ticket', actor: 'an operator' }
export const invalid = { name: 'ConfigurationError', code: 'invalid_option' }
export const noTarget = { name: 'ConfigurationError', code: 'target_not_found' }
export const wrongState = { name: 'ConfigurationError', code: 'wrong_state' }
export const patiently = { timeout: 15_000, interval: 20 }

/** Receivers on one new SQLite file for each test. */
export function operationsRig() {
  let path = ''
  beforeEach(() => {
    path = newFile()
  })
  afterAll(removeFiles)

  const receiverOf = (endpoint: string, over: object = {}): Receiver =>
    createReceiver({
      secret,
      now: clock,
      logger: false,
      store: sqliteStore(path),
      queue: localQueue({ pollSeconds: 3600, retry: { attempts: 1 } }),
      endpoint,
      fallback: () => {},
      ...over,
    })

  return { file: () => path, receiverOf }
}

export const accept = async (receiver: Receiver, id: string) =>
  expect(await receiver.receive(await delivery({ ...settled, id }))).toMatchObject({ outcome: 'accepted' })

/** Delivers other data with an accepted id, so that it is quarantined. */
export const conflict = async (receiver: Receiver, id: string) =>
  expect(
    await receiver.receive(
      await delivery({ ...settled, id, data: { ...settled.data, transferId: 'other' } }),
    ),
  ).toMatchObject({ outcome: 'quarantined' })
