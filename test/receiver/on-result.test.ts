import { describe, expect, it, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import type { ReceiveResult } from '../../src/result.js'
import { memoryStore } from '../../src/stores/memory.js'
import { clock, delivery, lines, secret } from './deliver.js'
import { never } from './scripted-store.js'

const base = { secret, now: clock, logger: false, fallback: () => {} } as const

describe('onResult', () => {
  it('is called once for every delivery, whatever its result', async () => {
    const results: ReceiveResult[] = []
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      onResult: (result) => void results.push(result),
    })
    const returned = [
      await receiver.receive(await delivery()),
      await receiver.receive(await delivery()),
      await receiver.receive({ headers: {}, body: new Uint8Array() }),
    ]
    expect(results).toEqual(returned)
    expect(results.map(({ outcome }) => outcome)).toEqual(['processed', 'duplicate', 'rejected'])
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('metrics')
      },
    ],
    ['rejects', () => Promise.reject(new Error('metrics'))],
    [
      'rejects later',
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        throw new Error('metrics')
      },
    ],
  ])('that %s changes nothing, and is logged', async (_, onResult) => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const logger = lines()
    const receiver = createReceiver({
      ...base,
      logger,
      store: memoryStore(),
      onResult: onResult as () => void,
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    await vi.waitFor(() => expect(logger.written).toHaveLength(1))
    expect(logger.written[0]).toMatch(/^error webhook-inbox: onResult threw; Error: metrics; at /)
    await new Promise((resolve) => setTimeout(resolve, 10))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('is not awaited', async () => {
    const receiver = createReceiver({ ...base, store: memoryStore(), onResult: (() => never) as () => void })
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
  })

  it('is called even if the logger throws, and the response is unchanged', async () => {
    const onResult = vi.fn()
    const logger = {
      info: () => {},
      warn: () => {
        throw new Error('disk full')
      },
      error: () => {
        throw new Error('disk full')
      },
    }
    const receiver = createReceiver({ ...base, logger, store: memoryStore(), onResult })
    expect(await receiver.receive({ headers: {}, body: new Uint8Array() })).toMatchObject({
      code: 'unsupported_media_type',
    })
    expect(onResult).toHaveBeenCalledTimes(1)
  })
})
