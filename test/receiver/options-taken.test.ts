import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createGate, createReceiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { memoryStore } from '../../src/stores/memory.js'
import { testSender } from '../../src/testing/sender.js'
import { day, good } from './rejected-options.js'

describe('two receivers on one store', () => {
  const options = { ...good, store: memoryStore() }
  const [one, two, three] = ['whsec_first_secret_1', 'whsec_second_secret', 'whsec_third_secret_'] as const

  it('are rejected on one endpoint with other secrets', () => {
    const store = memoryStore()
    createReceiver({ ...options, store, secret: one })
    expect(() => createReceiver({ ...options, store, secret: two })).toThrow(
      "another receiver uses this store and the endpoint 'default' with other secrets",
    )
    expect(() => createReceiver({ ...options, store, secret: two, endpoint: 'other' })).not.toThrow()
    expect(() => createReceiver({ ...options, store: memoryStore(), secret: two })).not.toThrow()
  })

  it('may each have a resolver, whose secrets are not known yet', () => {
    const store = memoryStore()
    createReceiver({ ...options, store, secret: () => one })
    expect(() => createReceiver({ ...options, store, secret: () => two })).not.toThrow()
  })

  it('may share a secret, as during a rotation', () => {
    const store = memoryStore()
    createReceiver({ ...options, store, secret: one })
    createReceiver({ ...options, store, secret: [two, one] })
    expect(() => createReceiver({ ...options, store, secret: [three, two] })).not.toThrow()
  })
})

it('options without a prototype are options', () => {
  const bare = (options: object) => Object.assign(Object.create(null), options)
  expect(() => createReceiver(bare(good))).not.toThrow()
  expect(() => createReceiver(bare({ ...good, foo: 1 }))).toThrow('foo is not an option of createReceiver')
  expect(() => createReceiver(bare({ foo: 1 }))).toThrow('foo is not an option of createReceiver')
})

it('a misspelled option of a gate names the middleware', () => {
  expect(() => createGate({ secret: good.secret, store: memoryStore(), foo: 1 } as never)).toThrow(
    'foo is not an option of the middleware',
  )
})

it('a gate that is given handlers or a receiver names the handler form', () => {
  const gate = (options: object) => () => createGate(options as never)
  const given = { secret: good.secret, store: memoryStore(), handlers: {}, fallback() {} }
  expect(gate(given)).toThrow(
    'unknown_option: the middleware takes no handlers, fallback: its route does the work; or pass createReceiver({ ... }) to the handler form',
  )
  expect(gate(createReceiver(good as never))).toThrow(
    'the middleware takes an object of options, such as { secret }, and not a receiver',
  )
  expect(gate(null as never)).toThrow('the options of the middleware must be an object')
})

describe('options that are taken', () => {
  it.each<[string, object]>([
    ['only what is required', {}],
    [
      'undefined for any that may be left out',
      { fallback: undefined, endpoint: undefined, schemas: undefined, logger: undefined, scheme: undefined },
    ],
    ['a handler that is undefined', { handlers: { 'transfer.settled': undefined } }],
    [
      'handlers without a prototype',
      { handlers: Object.assign(Object.create(null), { 'transfer.settled': () => {} }) },
    ],
    ['no handlers and a fallback', { handlers: undefined, fallback: () => {} }],
    [
      'a tolerance as long as the retention',
      { toleranceSeconds: 30 * day, allowLongTolerance: true, retentionSeconds: 30 * day },
    ],
    ['retention of 30 days', { retentionSeconds: 30 * day }],
    ['a lease and a budget of a day', { leaseSeconds: day, handlerTimeoutSeconds: day }],
    ['an endpoint beyond ASCII', { endpoint: 'Zürich 1 \u{1f4b8}' }],
    ['schemas', { schemas: { x: z.object({}) } }],
    ['silence', { logger: false }],
    ['a store whose methods are inherited', { store: Object.create(memoryStore()) }],
    [
      'the highest and the lowest priority',
      { priorities: { 'transfer.settled': 100, 'ledger.matched': -100 } },
    ],
    ['no priorities', { priorities: {} }],
    ['a breaker after one failure', { breaker: { failures: 1, retryAfterSeconds: day } }],
    ['a breaker after very many failures', { breaker: { failures: 2 ** 31 - 1, retryAfterSeconds: 1 } }],
    ['no limits', { limits: {} }],
    ['only a concurrency', { limits: { perResource: { concurrency: 1 } } }],
    ['only a rate', { limits: { byType: { 'transfer.settled': { perSecond: 0.0001 } } } }],
    [
      'limits of types and resources',
      { limits: { byType: { a: { concurrency: 2, perSecond: 1e9 }, b: {} }, perResource: { perSecond: 1 } } },
    ],
    ['a version of a hundred characters', { version: 'v'.repeat(100) }],
    ['a quarantine of a century', { quarantineRetentionSeconds: 36_500 * day }],
    ['pruning once a day', { pruneEverySeconds: day }],
    ['no pruning', { pruneEverySeconds: false }],
    ['a day to undo', { undoSeconds: day }],
    ['no undo', { undoSeconds: 0 }],
    ['a day for the body to arrive', { bodyTimeoutSeconds: day }],
    ['a fraction of a second', { handlerTimeoutSeconds: 0.5, leaseSeconds: 0.5, toleranceSeconds: 0.5 }],
  ])('%s', (_, options) => {
    expect(() => createReceiver({ ...good, ...options })).not.toThrow()
  })
})

describe('an option that is undefined', () => {
  it('was not given', async () => {
    const events: { durations: unknown }[] = []
    const store = memoryStore()
    const observed: Store = {
      ...store,
      once(event, work) {
        events.push(event)
        return store.once(event, work)
      },
    }
    const receiver = createReceiver({
      ...good,
      store: observed,
      leaseSeconds: undefined,
      handlerTimeoutSeconds: 3,
      endpoint: undefined,
      bogus: undefined,
    } as never)
    const sender = testSender({ receiver, secret: good.secret })
    await sender.send('transfer.settled')
    const durations = { leaseSeconds: 60, workSeconds: 3, waitSeconds: 1.5, retentionSeconds: 90 * day }
    expect(events).toMatchObject([{ durations, endpoint: 'default' }])
  })
})

it('a queue needs a store that keeps bodies', () => {
  const queue = { guarantee: '', consume: async () => async () => {} }
  expect(() => createReceiver({ ...good, queue } as never)).toThrow(
    expect.objectContaining({ code: 'invalid_store' }),
  )
})
