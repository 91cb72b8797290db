import { describe, expect, test } from 'vitest'
import { nextAttempt } from '../../src/queue/next-attempt.js'
import { NoHandler } from '../../src/queue/no-handler.js'
import { fingerprintOf } from '../../src/store/fingerprint.js'
import type { Inbox } from '../../src/store/inbox.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile } from '../stores/sqlite-files.js'
import { newEvent, nothing } from '../stores/sqlite-rig.js'
import { endpointOf, engines, flowRig, patiently } from './flow-rig.js'

const { places, program } = flowRig()

describe.each(engines)('an event of a type that an old process cannot handle, with %s', (engine) => {
  test('fails there with growing pauses, and keeps the attempts of its handler', async () => {
    const place = { ...places[engine](), attempts: 2 }
    const endpoint = endpointOf('type')
    const handlers = { 'transfer.failed': () => {} }
    const old = await program(place, endpoint, { fallback: undefined, handlers } as never)
    let runs = 0
    const handle = () => {
      if (++runs === 1) {
        throw new Error('the first attempt fails')
      }
    }
    const fresh = await program(place, endpoint, { fallback: handle }, false)
    const id = await fresh.send('transfer.settled')
    const failures = async () => (await fresh.receiver.inspect(id))?.failures ?? 0
    await expect.poll(failures, patiently).toBeGreaterThanOrEqual(2)
    expect(await fresh.receiver.inspect(id)).toMatchObject({
      state: 'failed',
      lastError: 'no handler for transfer.settled in this process',
    })
    await old.receiver.stop()
    await fresh.receiver.start()
    await expect.poll(async () => (await fresh.receiver.inspect(id))?.state, patiently).toBe('done')
    expect(runs).toBe(2)
  })
})

test('an event that no process handles is dead after the default attempts, whatever retry says', async () => {
  const inbox = sqliteStore(newFile()).inbox as unknown as Inbox<unknown>
  const event = newEvent({})
  await inbox.accept(event, nothing as never)
  const error = new NoHandler(event.type)
  const retry = { attempts: 2, firstPauseSeconds: 1, longestPauseSeconds: 1 }
  const pauses: number[] = []
  for (;;) {
    const stored = await inbox.read(event.key)
    const next = stored && (await nextAttempt(stored, error, retry))
    if (!next) {
      break
    }
    pauses.push(next.pauseSeconds)
    await inbox.postpone(event.key, 0, error.message, await fingerprintOf(error))
  }
  expect(pauses).toHaveLength(19)
  const hours = pauses.reduce((sum, pause) => sum + pause, 0) / 3600
  expect(hours).toBeGreaterThan(3)
})

test('the failures of a replayed event begin again', async () => {
  const inbox = sqliteStore(newFile()).inbox as unknown as Inbox<unknown>
  const event = newEvent({})
  await inbox.accept(event, nothing as never)
  const error = new NoHandler(event.type)
  const retry = { attempts: 2, firstPauseSeconds: 1, longestPauseSeconds: 1 }
  await inbox.postpone(event.key, 0, error.message, await fingerprintOf(error))
  await inbox.requeue(event.key, { reason: 'test', actor: 'operator' }, nothing as never)
  await inbox.postpone(event.key, 0, 'the handler failed')
  const stored = await inbox.read(event.key)
  expect(stored && (await nextAttempt(stored, new Error('again'), retry))).toBeUndefined()
})
