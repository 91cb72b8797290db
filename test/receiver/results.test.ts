import { describe, expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { clock, delivery, lines, now, secret, settled } from './deliver.js'

const base = { secret, now: clock, logger: false } as const

describe('a result', () => {
  it('names the secret that matched', async () => {
    const receiver = createReceiver({
      ...base,
      secret: ['whsec_test_secret_new', secret],
      store: memoryStore(),
      fallback: () => {},
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed', secretIndex: 1 })
    expect(await receiver.receive(await delivery('{'))).toMatchObject({
      code: 'invalid_json',
      secretIndex: 1,
    })
    expect(await receiver.receive(await delivery(settled, { secret: 'whsec_other' }))).not.toHaveProperty(
      'secretIndex',
    )
  })

  it('has the facts that are known, and no others', async () => {
    const receiver = createReceiver({ ...base, store: memoryStore(), fallback: () => {} })
    const answer = ['outcome', 'status', 'headers', 'body', 'source']
    const processed = await receiver.receive(await delivery())
    expect(Object.keys(processed)).toEqual([...answer, 'event', 'eventId', 'secretIndex', 'signedAt'])
    const rejected = await receiver.receive(await delivery(settled, { secret: 'whsec_of_another_sender' }))
    expect(Object.keys(rejected)).toEqual([...answer, 'code'])
    expect([processed.source, rejected.source]).toEqual(['delivery', 'delivery'])
  })

  it('cannot be changed by onResult', async () => {
    const attempts: boolean[] = []
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      fallback: () => Promise.reject(new Error('no')),
      onResult: (result) => {
        attempts.push(Reflect.set(result, 'status', 200), Reflect.set(result.headers, 'set-cookie', 's=1'))
      },
    })
    const result = await receiver.receive(await delivery())
    expect(result.status).toBe(500)
    expect(result.headers).toEqual({ 'content-type': 'application/json' })
    expect(attempts).toEqual([false, false])
  })
})

describe('handlerTimeoutSeconds', () => {
  it('covers the whole delivery, including the secret resolver', async () => {
    const pause = () => new Promise((resolve) => setTimeout(resolve, 300))
    const receiver = createReceiver({
      ...base,
      secret: async () => {
        await pause()
        return secret
      },
      store: memoryStore(),
      handlerTimeoutSeconds: 0.5,
      fallback: pause,
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_timeout' })
  })
})

describe('the context of a handler', () => {
  it('returns the same signal each time, so that a listener can be removed', async () => {
    const seen: unknown[] = []
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      fallback: (_, context) => void seen.push(context.signal, context.signal),
    })
    await receiver.receive(await delivery())
    expect(seen).toHaveLength(2)
    expect(seen[0]).toBe(seen[1])
  })
})

describe('the log', () => {
  it('names each unhandled type once', async () => {
    const logger = lines()
    const receiver = createReceiver({ ...base, logger, store: memoryStore(), handlers: {} })
    for (const id of ['evt_1', 'evt_2']) {
      await receiver.receive(await delivery({ ...settled, id }))
    }
    await receiver.receive(await delivery({ ...settled, id: 'evt_3', type: 'evidence.exported' }))
    expect(logger.written.map((line) => line.split(':')[1])).toEqual([
      ' no handler for transfer.settled',
      ' no handler for evidence.exported',
    ])
  })
})

describe('stop', () => {
  it('waits for a handler whose delivery was answered handler_timeout', async () => {
    let ended = false
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      handlerTimeoutSeconds: 0.2,
      async fallback() {
        await new Promise((resolve) => setTimeout(resolve, 300))
        ended = true
      },
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_timeout' })
    expect(ended).toBe(false)
    await receiver.stop()
    expect(ended).toBe(true)
    expect(await receiver.receive(await delivery(settled, { timestamp: now + 1 }))).toMatchObject({
      outcome: 'duplicate',
    })
  })
})
