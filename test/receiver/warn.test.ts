import { describe, expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { clock, delivery, lines, secret, settled } from './deliver.js'

const base = { secret, now: clock, logger: false } as const

describe('warn()', () => {
  const proxy = new Proxy(
    {},
    {
      get() {
        throw new Error('no')
      },
    },
  )

  it.each([
    ['an error', new Error('soft'), 'Error: soft'],
    ['a symbol', Symbol('x'), 'Symbol(x)'],
    ['undefined', undefined, 'undefined'],
    ['a proxy that throws', proxy, 'a warning that cannot be printed'],
  ])('takes %s', async (_, value, text) => {
    const logger = lines()
    const receiver = createReceiver({
      ...base,
      logger,
      store: memoryStore(),
      fallback: (_event, { warn }) => warn(value as never),
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed', warnings: [text] })
    expect(logger.written).toEqual([expect.stringContaining(text)])
  })
})

it('warnings of an event are logged for its first delivery, and not for each that repeats it', async () => {
  const logger = lines()
  const receiver = createReceiver({ ...base, logger, store: memoryStore(), fallback: () => {} })
  const body = JSON.stringify(settled).replace('"rail":', '"rail":"x","rail":')
  const request = await delivery(body)
  for (let i = 0; i < 5; i++) {
    await receiver.receive(request)
  }
  expect(logger.written).toHaveLength(1)
})

it('start() warns of options that only a queue obeys', async () => {
  const logger = lines()
  const options = { ...base, logger, store: memoryStore(), fallback: () => {} }
  const receiver = createReceiver({
    ...options,
    resource: () => 'tr_1',
    limits: { perResource: { concurrency: 1 } },
  })
  await receiver.start({ announce: false })
  expect(logger.written).toEqual([
    'warn webhook-inbox: without a queue these options have no effect: resource, limits; fix: give a queue',
  ])
})
