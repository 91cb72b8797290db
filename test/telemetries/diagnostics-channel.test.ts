import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { type ChannelMessages, diagnosticsChannel } from '../../src/telemetries/diagnostics-channel.js'
import { clock, delivery, secret, settled } from '../receiver/deliver.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

afterAll(removeFiles)

const patiently = { timeout: 15_000, interval: 20 }
const names = [
  'webhook-inbox:delivery',
  'webhook-inbox:stored',
  'webhook-inbox:run.start',
  'webhook-inbox:run.end',
  'webhook-inbox:run.late',
  'webhook-inbox:retry',
  'webhook-inbox:death',
] as const satisfies (keyof ChannelMessages)[]

const heard: [name: string, message: object][] = []
const hear = (message: unknown, name: string | symbol) => void heard.push([String(name), message as object])
afterEach(() => {
  heard.length = 0
  for (const name of names) {
    unsubscribe(name, hear)
  }
})

const common = { secret, now: clock, logger: false, telemetry: diagnosticsChannel() } as const

it('publishes what happens on its channels', async () => {
  for (const name of names) {
    subscribe(name, hear)
  }
  const receiver = createReceiver({
    ...common,
    store: sqliteStore(newFile()),
    queue: localQueue({ retry: { attempts: 2, firstPauseSeconds: 0.01 } }),
    fallback: () => Promise.reject(new Error('no such account')),
  })
  await receiver.start()
  await receiver.receive(await delivery())
  await vi.waitFor(() => expect(heard.at(-1)?.[0]).toBe('webhook-inbox:death'), patiently)
  await receiver.stop()

  const counts = Object.fromEntries(
    names.map((name) => [name, heard.filter(([each]) => each === name).length]),
  )
  expect(counts).toEqual({
    'webhook-inbox:delivery': 1,
    'webhook-inbox:stored': 1,
    'webhook-inbox:run.start': 2,
    'webhook-inbox:run.end': 2,
    'webhook-inbox:run.late': 0,
    'webhook-inbox:retry': 1,
    'webhook-inbox:death': 1,
  })
  const message = (name: keyof ChannelMessages) => heard.find(([each]) => each === name)?.[1]
  expect(message('webhook-inbox:stored')).toMatchObject({ state: 'accepted', type: settled.type })
  expect(message('webhook-inbox:run.end')).toMatchObject({ attempt: 1, result: { code: 'handler_failed' } })
})

it('says that a run has succeeded which was not done in time', async () => {
  for (const name of names) {
    subscribe(name, hear)
  }
  let end = () => {}
  const fallback = () => new Promise<void>((resolve) => (end = resolve))
  const receiver = createReceiver({ ...common, store: memoryStore(), handlerTimeoutSeconds: 0.05, fallback })
  expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_timeout' })
  end()
  const [endpoint, type, eventId] = ['default', settled.type, settled.id]
  await vi.waitFor(() => {
    expect(heard.at(-1)).toEqual(['webhook-inbox:run.late', { endpoint, type, eventId }])
  }, patiently)
})

it('gives each run a store of its own', async () => {
  const storage = new AsyncLocalStorage()
  const start = channel('webhook-inbox:run.start')
  start.bindStore(storage, (facts) => (facts as ChannelMessages['webhook-inbox:run.start']).event.id)
  const seen: unknown[] = []
  const fallback = async () => {
    await new Promise(setImmediate)
    seen.push(storage.getStore())
  }
  const receiver = createReceiver({ ...common, store: memoryStore(), fallback })
  const ids = ['evt_a', 'evt_b']
  await Promise.all(ids.map(async (id) => receiver.receive(await delivery({ ...settled, id }))))
  start.unbindStore(storage)
  expect(seen.sort()).toEqual(ids)
  expect(storage.getStore()).toBeUndefined()
})

it('observes no run without a subscriber', () => {
  const { running, storing } = diagnosticsChannel()
  expect(running?.({} as never)).toBeUndefined()
  expect(storing?.({} as never)).toBeUndefined()
})
