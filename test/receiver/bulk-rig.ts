import { afterAll, afterEach, beforeEach, expect } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret, settled } from './deliver.js'

/** Receivers on one file whose events a bulk run changes. */

afterAll(removeFiles)

export const audit = { reason: 'the bank was down', actor: 'an operator' }
export const invalid = { name: 'ConfigurationError', code: 'invalid_option' }
export const patiently = { timeout: 20_000, interval: 50 }

export let path: string
export let started: Receiver[] = []
/** What the handler needs. */
export const bank = { isDown: true }
export let ran: string[] = []
beforeEach(() => {
  path = newFile()
  bank.isDown = true
  ran = []
})
afterEach(async () => {
  await Promise.all(started.map((receiver) => receiver.stop()))
  started = []
})

export function receiverOf(over: object = {}): Receiver {
  return createReceiver({
    secret,
    now: clock,
    logger: false,
    store: sqliteStore(path),
    queue: localQueue({ pollSeconds: 3600, retry: { attempts: 1 } }),
    fallback({ id }: { id: string }) {
      ran.push(id)
      if (bank.isDown) {
        throw new Error('the bank is down')
      }
    },
    ...over,
  } as never)
}

export async function start(receiver: Receiver): Promise<Receiver> {
  started.push(receiver)
  await receiver.start()
  return receiver
}

/** Returns a started receiver with so many dead events. */
export async function withDead(count: number, over: object = {}): Promise<Receiver> {
  const receiver = await start(receiverOf(over))
  for (let i = 0; i < count; i++) {
    await receiver.receive(await delivery({ ...settled, id: `evt_${i}` }))
  }
  await expect.poll(async () => (await receiver.health()).counts.dead, patiently).toBe(count)
  ran = []
  return receiver
}
