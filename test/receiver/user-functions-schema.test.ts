import { describe, expect, it, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { clock, delivery, secret } from './deliver.js'
import { odd, throwing } from './odd-values.js'
import { unhandledRejections } from './unhandled.js'

const unhandled = unhandledRejections()

const base = { secret, now: clock, logger: false } as const

describe('a schema', () => {
  const schemasOf = (validate: () => unknown) => ({
    'transfer.settled': { '~standard': { version: 1, vendor: 'test', validate } },
  })
  const results: [name: string, make: () => unknown][] = [
    ...odd,
    ...throwing.map(([name, make]): [string, () => unknown] => [`(throws) ${name}`, make]),
    ['undefined', () => undefined],
    ['null', () => null],
    ['neither value nor issues', () => ({})],
    ['issues that are a text', () => ({ issues: 'bad' })],
    ['an issue that is null', () => ({ issues: [null] })],
    ['an issue whose path is a text', () => ({ issues: [{ message: 'x', path: 'a.b' }] })],
    [
      'an issue whose path throws',
      () => ({ issues: [{ message: 'x', path: [{ key: Object.create(null) }] }] }),
    ],
    [
      'a result whose getter throws',
      () => ({
        get issues() {
          throw new Error('getter')
        },
      }),
    ],
  ]

  it.each(results)(
    'that returns %s fails the delivery, and the handler does not run',
    async (_, validate) => {
      process.on('unhandledRejection', unhandled)
      const fallback = vi.fn()
      const receiver = createReceiver({
        ...base,
        store: memoryStore(),
        schemas: schemasOf(validate) as never,
        fallback,
      })
      expect(await receiver.receive(await delivery())).toMatchObject({
        status: 500,
        code: 'handler_failed',
        detail: 'in the schema of transfer.settled',
      })
      expect(fallback).not.toHaveBeenCalled()
    },
  )

  it('may report issues in every form of the specification', async () => {
    const path = ['a', 1, Symbol('s'), { key: 'b' }]
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      schemas: schemasOf(() => ({ issues: [{ message: 'x', path }, { message: 'y' }] })) as never,
      fallback: () => {},
    })
    expect(await receiver.receive(await delivery())).toMatchObject({
      code: 'invalid_data',
      detail: 'data.a.1.Symbol(s).b, data',
    })
  })
})

it('a schema that throws a revoked proxy is a failure of the handler, and not of the store', async () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const validate = () => {
    throw proxy
  }
  const receiver = createReceiver({
    ...base,
    store: memoryStore(),
    schemas: { 'transfer.settled': { '~standard': { version: 1, vendor: 'own', validate } } } as never,
    fallback: () => {},
  })
  expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_failed' })
})
