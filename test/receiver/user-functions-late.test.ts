import { afterEach, describe, expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret } from './deliver.js'
import { unhandledRejections } from './unhandled.js'

const unhandled = unhandledRejections()

afterEach(removeFiles)

const base = { secret, now: clock, logger: false } as const

describe('promises that reject after the receiver stopped waiting', () => {
  const reject = () => Promise.reject(new Error('late'))

  it('in the list of a secret resolver are a failure of the resolver', async () => {
    process.on('unhandledRejection', unhandled)
    const resolver = (() => [reject(), reject()]) as never
    const receiver = createReceiver({ ...base, secret: resolver, store: memoryStore(), fallback: () => {} })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'secret_unavailable' })
  })

  it('in warn() are a warning that is no text', async () => {
    process.on('unhandledRejection', unhandled)
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      fallback: (_, { warn }) => warn(reject() as never),
    })
    expect(await receiver.receive(await delivery())).toMatchObject({
      outcome: 'processed',
      warnings: ['[object Promise]'],
    })
  })

  it.each([
    ['the issues', () => ({ issues: reject() })],
    ['an issue', () => ({ issues: [reject()] })],
    ['the path of an issue', () => ({ issues: [{ message: 'bad', path: reject() }] })],
    ['the message of an issue', () => ({ issues: [{ message: reject() }] })],
    ['a part of a path', () => ({ issues: [{ message: 'bad', path: [reject()] }] })],
    ['the key of a part of a path', () => ({ issues: [{ message: 'bad', path: [{ key: reject() }] }] })],
    ['the value beside issues', () => ({ issues: [], value: reject() })],
    ['a list instead of a result', () => [reject()]],
  ])('in %s of a schema are a failure of that delivery alone', async (_, validate) => {
    process.on('unhandledRejection', unhandled)
    const schema = { '~standard': { version: 1, vendor: 'own', validate } } as never
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      schemas: { 'transfer.settled': schema },
      fallback: () => {},
    })
    const { outcome } = await receiver.receive(await delivery())
    expect(['failed', 'rejected']).toContain(outcome)
  })

  it('in an issue are found although its getters throw, and the data is at fault still', async () => {
    process.on('unhandledRejection', unhandled)
    const issue = {
      get message() {
        throw new Error('no translation')
      },
      path: [{ key: reject() }],
    }
    const validate = () => ({ issues: [issue] })
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      schemas: { 'transfer.settled': { '~standard': { version: 1, vendor: 'own', validate } } } as never,
      fallback: () => {},
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'invalid_data' })
  })

  it.each([
    ['a list that a method of telemetry returns', { delivered: () => [reject(), reject()] }],
    ['a trace id', { traceIds: () => ({ traceId: reject(), spanId: reject() }) }],
    ['a trace context', { storing: () => ({ traceContext: reject() }) }],
  ])('in %s change nothing', async (_, telemetry) => {
    process.on('unhandledRejection', unhandled)
    const store = sqliteStore(newFile())
    const queue = { guarantee: 'none', consume: async () => async () => {} }
    const logger = { info() {}, warn() {}, error() {} }
    const receiver = createReceiver({
      ...base,
      ...{ store, queue, logger, telemetry, fallback: () => {} },
    } as never)
    await receiver.start()
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'accepted' })
    await receiver.stop()
    await store.close()
  })
})
