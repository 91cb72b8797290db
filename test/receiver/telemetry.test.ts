import { afterAll, expect, it, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import type { Telemetry } from '../../src/telemetry/telemetry.js'
import { watchRetries } from '../../src/telemetry/watch-retries.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { delivery, lines, settled } from './deliver.js'
import { common, patiently } from './telemetry-recorder.js'

afterAll(removeFiles)

it('nothing that a telemetry throws or returns changes a response, and the first error of a method is logged', async () => {
  const fail = () => {
    throw new Error('the tracer is broken')
  }
  const logger = lines()
  const run = vi.fn()
  const telemetry = {
    delivered: fail,
    running: () => ({ within: fail, end: () => Promise.reject(new Error('later')) }),
    traceIds: fail,
  } as unknown as Telemetry
  const receiver = createReceiver({ ...common, logger, store: memoryStore(), fallback: run, telemetry })
  for (const id of ['evt_a', 'evt_b']) {
    expect(await receiver.receive(await delivery({ ...settled, id }))).toMatchObject({ outcome: 'processed' })
  }
  await vi.waitFor(() => expect(logger.written.some((line) => line.includes('later'))).toBe(true), patiently)
  expect(run).toHaveBeenCalledTimes(2)
  for (const method of ['delivered', 'running.within', 'running.end']) {
    expect(logger.written.filter((line) => line.includes(`telemetry ${method} threw`))).toHaveLength(1)
  }
})

it('work that telemetry calls twice or not at all still runs once', async () => {
  for (const within of [(work: () => unknown) => [work(), work()], () => undefined]) {
    const [run, logger] = [vi.fn(), lines()]
    const telemetry = { running: () => ({ within }) } as unknown as Telemetry
    const receiver = createReceiver({ ...common, logger, store: memoryStore(), fallback: run, telemetry })
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    expect(run).toHaveBeenCalledTimes(1)
    expect(logger.written).toEqual([])
  }
})

it('start() offers the figures of the inbox, and stop() takes them back', async () => {
  const end = vi.fn()
  const watch = vi.fn<NonNullable<Telemetry['watch']>>(() => end)
  const options = { ...common, fallback: () => {}, telemetry: { watch } }
  const receiver = createReceiver({ ...options, store: sqliteStore(newFile()), queue: localQueue() })
  await receiver.start()
  await receiver.start()
  expect(watch).toHaveBeenCalledTimes(1)
  expect(await watch.mock.calls[0]?.[0]()).toMatchObject({ counts: { dead: 0 }, oldestUnprocessedSeconds: 0 })
  await receiver.stop()
  expect(end).toHaveBeenCalledTimes(1)

  await createReceiver({ ...options, store: memoryStore() }).start()
  expect(watch).toHaveBeenCalledTimes(1)
})

it.each<[string, object]>([
  ['without any method', {}],
  ['whose methods return nothing', { storing: () => undefined, running: () => null, watch: () => undefined }],
  ['whose methods return a number', { storing: () => 7, running: () => 7 }],
  ['whose methods return an empty object', { storing: () => ({}), running: () => ({}) }],
])('a telemetry %s changes nothing, and logs nothing', async (_, telemetry) => {
  const logger = lines()
  const store = sqliteStore(newFile())
  const run = vi.fn(() => Promise.reject(new Error('no')))
  const queue = localQueue({ retry: { attempts: 2, firstPauseSeconds: 0.01 } })
  const receiver = createReceiver({ ...common, logger, store, queue, fallback: run, telemetry })
  await receiver.start()
  expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'accepted' })
  const isDead = async () => expect(await receiver.inspect('evt_1')).toMatchObject({ state: 'dead' })
  await vi.waitFor(isDead, patiently)
  await receiver.stop()
  expect(run).toHaveBeenCalledTimes(2)
  expect(logger.written.filter((line) => /telemetry \S+ threw/.test(line))).toEqual([])
})

it('an error of watch() is logged, and one of the function that it returns', async () => {
  const fail = () => {
    throw new Error('no room')
  }
  for (const watch of [fail, () => fail]) {
    const logger = lines()
    const options = { ...common, logger, store: sqliteStore(newFile()), queue: localQueue() }
    const receiver = createReceiver({ ...options, fallback: () => {}, telemetry: { watch } })
    await receiver.start()
    await receiver.stop()
    expect(logger.written.filter((line) => line.includes('telemetry watch threw'))).toHaveLength(1)
  }
})

it('an inbox with private fields works behind the watch for retries', async () => {
  class Inbox {
    #postponed = 0
    readonly name = 'private'
    async postpone() {
      this.#postponed++
    }
    postponed() {
      return this.#postponed
    }
  }
  const tell = vi.fn()
  const watched = watchRetries(new Inbox() as never, tell) as unknown as Inbox
  await (watched.postpone as (key: string, pause: number) => Promise<void>)('key', 3)
  expect(tell.mock.calls).toEqual([[3]])
  expect([watched.name, watched.postponed()]).toEqual(['private', 1])
})

it('a telemetry that is no object is rejected', () => {
  for (const telemetry of [7, 'on', null]) {
    const options = { ...common, store: memoryStore(), fallback: () => {}, telemetry: telemetry as never }
    expect(() => createReceiver(options)).toThrow(/telemetry must be a telemetry/)
  }
})
