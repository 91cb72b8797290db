import { afterAll, beforeEach } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, secret, settled } from './deliver.js'

/** Receivers on one file, and what their handler has seen. */

afterAll(removeFiles)

export const audit = { reason: 'a wrong account', actor: 'an operator' }
export const invalid = { name: 'ConfigurationError', code: 'invalid_option' }
export const patiently = { timeout: 20_000, interval: 50 }
export const { type } = settled

export let path: string
export let seen: { id: string; data: unknown }[]
beforeEach(() => {
  path = newFile()
  seen = []
})

export const receiverOf = (over: object = {}): Receiver =>
  createReceiver({
    secret,
    now: clock,
    logger: false,
    store: sqliteStore(path),
    queue: localQueue({ pollSeconds: 3600 }),
    fallback: ({ id, data }: { id: string; data: unknown }) => void seen.push({ id, data }),
    ...over,
  } as never)
