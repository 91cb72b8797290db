import { describe, expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { clock, delivery, secret } from './deliver.js'
import { unhandledRejections } from './unhandled.js'

const unhandled = unhandledRejections()

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
    ['a part of a path', () => ({ issues: [{ message: 'bad', path: [reject()] }] })],
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
})
