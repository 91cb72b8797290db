import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { type Code, codes, explain } from '../../src/codes.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, now, secret, settled } from './deliver.js'
import { scriptedStore } from './scripted-store.js'

afterAll(removeFiles)
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function logged(options: object = {}) {
  const logger = lines()
  const receiver = createReceiver({
    secret,
    now: clock,
    logger,
    store: memoryStore(),
    fallback: () => {},
    ...options,
  } as never)
  return { logger, receiver }
}

describe('a line that anyone can cause', () => {
  it('is written once a minute for each code', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { logger, receiver } = logged()
    const forge = async () => receiver.receive(await delivery(settled, { secret: 'whsec_other' }))
    const get = async () => receiver.receive(await delivery(settled, { request: { method: 'GET' } }))
    for (let i = 0; i < 20; i++) {
      await forge()
    }
    await get()
    expect(logger.written).toEqual([
      `warn webhook-inbox: ${explain('signature_mismatch')}`,
      `warn webhook-inbox: ${explain('method_not_allowed', 'GET')}`,
    ])
    vi.advanceTimersByTime(59_000)
    await forge()
    expect(logger.written).toHaveLength(2)
    vi.advanceTimersByTime(1000)
    await forge()
    await forge()
    expect(logger.written).toHaveLength(3)
  })

  it('is remembered for a thousand events, not forever', async () => {
    const { logger, receiver } = logged({ fallback: () => Promise.reject(new Error('no')) })
    const fail = async (id: string) => receiver.receive(await delivery({ ...settled, id }))
    await fail('evt_first')
    await fail('evt_first')
    expect(logger.written).toHaveLength(1)
    for (let i = 0; i < 1000; i++) {
      await fail(`evt_${i}`)
    }
    await fail('evt_999')
    expect(logger.written).toHaveLength(1001)
    await fail('evt_first')
    expect(logger.written).toHaveLength(1002)
  })

  it('names at most a hundred types without a handler', async () => {
    const { logger, receiver } = logged({ fallback: undefined, handlers: { other: () => {} } })
    for (let i = 0; i < 120; i++) {
      await receiver.receive(await delivery({ ...settled, id: `evt_${i}`, type: `type.${i}` }))
    }
    expect(logger.written).toHaveLength(100)
  })

  it('holds the cause of the cause', async () => {
    const cause = new Error('could not book', { cause: new RangeError('no such account') })
    const { logger, receiver } = logged({ fallback: () => Promise.reject(cause) })
    await receiver.receive(await delivery())
    expect(logger.written[0]).toMatch(/Error: could not book; .*; caused by RangeError: no such account/)
  })

  it('cannot fill the log, even if this program is at fault', async () => {
    const { logger, receiver } = logged({
      secret: () => {
        throw new Error('unknown tenant')
      },
    })
    for (let i = 0; i < 20; i++) {
      await receiver.receive(await delivery())
    }
    expect(logger.written).toHaveLength(1)
    expect(logger.written[0]).toContain(
      'error webhook-inbox: secret_unavailable; Error: unknown tenant; at secret (',
    )
  })
})

describe('a line about an authentic event', () => {
  it('is written once a minute for each event, with its id and the cause', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const cause = new Error('no such account')
    const { logger, receiver } = logged({ fallback: () => Promise.reject(cause) })
    const deliver = async (id: string) => receiver.receive(await delivery({ ...settled, id }))
    for (const id of ['evt_1', 'evt_2', 'evt_1']) {
      await deliver(id)
    }
    const lineOf = (id: string) =>
      `error webhook-inbox: event ${id} (transfer.settled, attempt 1): handler_failed; Error: no such account; at `
    expect(logger.written).toEqual(
      [lineOf('evt_1'), lineOf('evt_2')].map((line) => expect.stringContaining(line)),
    )
    vi.advanceTimersByTime(60_000)
    await deliver('evt_1')
    expect(logger.written).toHaveLength(3)
  })

  it('cannot fill the log when a captured delivery is repeated with other unsigned ids', async () => {
    const { logger, receiver } = logged()
    for (let i = 0; i < 3000; i++) {
      await receiver.receive(await delivery(settled, { headers: { 'service-event-id': `evt_x${i}` } }))
    }
    expect(logger.written).toHaveLength(1)
  })

  it('is also written each time the event is rejected', async () => {
    const { logger, receiver } = logged({ environments: ['production'] })
    for (const id of ['evt_1', 'evt_2']) {
      await receiver.receive(await delivery({ ...settled, id }))
    }
    expect(logger.written).toEqual(
      ['evt_1', 'evt_2'].map(
        (id) => `warn webhook-inbox: event ${id}: ${explain('environment_not_allowed', 'sandbox')}`,
      ),
    )
  })

  it('is not written if nothing is wrong', async () => {
    const { logger, receiver } = logged()
    await receiver.receive(await delivery())
    await receiver.receive(await delivery())
    const busy = logged({
      store: scriptedStore({ once: async () => ({ state: 'busy', retryAfterSeconds: 1 }) }),
    })
    await busy.receiver.receive(await delivery())
    expect([...logger.written, ...busy.logger.written]).toEqual([])
  })

  it('is written at most ten times for one event', async () => {
    const { logger, receiver } = logged()
    const odd = `[${Array(50).fill('{"__proto__":1}').join(',')}]`
    await receiver.receive(await delivery(`{"x":${odd},${JSON.stringify(settled).slice(1)}`))
    expect(logger.written).toHaveLength(10)
  })

  it('is written for a warning', async () => {
    const { logger, receiver } = logged()
    await receiver.receive(await delivery({ ...settled, type: 'ledger.matched', data: {} }))
    expect(logger.written).toEqual([
      'warn webhook-inbox: event evt_1: data is not as expected: data.transferId (missing; expected string)',
    ])
  })
})

describe('lines', () => {
  it('give the fact, the likely cause, the fix and the document', () => {
    for (const [code, { fact, cause, fix }] of Object.entries(codes)) {
      const document = `see node_modules/webhook-inbox/docs/codes.md#${code}`
      expect(explain(code as Code, undefined, true)).toBe(
        `${code}: ${fact}; likely cause: ${cause}; fix: ${fix}; ${document}`,
      )
    }
  })

  it('advise a queue where there is none, and not where there is one', async () => {
    const validate = () => ({ issues: [{ message: 'no' }] })
    const schemas = { 'transfer.settled': { '~standard': { version: 1, vendor: 'test', validate } } }
    const wrong = logged({ schemas, store: sqliteStore(newFile()) })
    await wrong.receiver.receive(await delivery())
    expect(wrong.logger.written.join()).toContain('; a replay needs a queue such as localQueue(); see ')
    const slow = logged({ fallback: () => new Promise(() => {}), handlerTimeoutSeconds: 0.05 })
    await slow.receiver.receive(await delivery())
    expect(slow.logger.written.join()).toContain(
      '; add a queue, so that the response does not wait for the handler; see ',
    )

    const queued = logged({ schemas, queue: localQueue(), store: sqliteStore(newFile()) })
    await queued.receiver.start()
    await queued.receiver.receive(await delivery())
    await expect
      .poll(() => queued.logger.written.join())
      .toContain('fix: correct the schema and replay the event; see ')
    await queued.receiver.stop()
    expect(queued.logger.written.join()).not.toContain('a replay needs a queue')
  })

  it('stay one line of bounded length for any event id and type', async () => {
    const { logger, receiver } = logged({ environments: ['production'] })
    const environment = `x\n2026 error fake line\r\u001b[2J\u2028\u202e\ud800${'y'.repeat(5000)}`
    await receiver.receive(await delivery(JSON.stringify({ ...settled, environment })))
    const key = `a\nb_${'k'.repeat(5000)}`
    await receiver.receive(await delivery(JSON.stringify({ ...settled, data: { [key]: { a_b: 1, aB: 2 } } })))
    const odd = logged()
    await odd.receiver.receive(
      await delivery(`{"x":{"a\\nb":{"__proto__":1}},${JSON.stringify(settled).slice(1)}`),
    )
    const written = [...logger.written, ...odd.logger.written]
    expect(written).toHaveLength(3)
    for (const line of written) {
      expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
      expect(line.length).toBeLessThan(1000)
    }
  })

  it('contain no secret, signature or body', async () => {
    const logger = lines()
    const pin = 'PIN-4711-4711'
    const event = { ...settled, data: { ...settled.data, transferId: 1, pin } }
    const rejecting = (options: object = {}) =>
      createReceiver({ secret, now: clock, logger, store: memoryStore(), fallback: () => {}, ...options })
    const good = await delivery(event)
    const attempts = [
      rejecting().receive(good),
      rejecting().receive(await delivery(event, { secret: 'whsec_other' })),
      rejecting().receive(await delivery(event, { timestamp: now + 999 })),
      rejecting().receive(await delivery(`${JSON.stringify(event)}}`)),
      rejecting().receive(await delivery(JSON.stringify({ ...event, id: pin }))),
      rejecting({ secret: () => `${secret} ` }).receive(good),
      rejecting({ store: scriptedStore({ once: () => Promise.reject(new Error('down')) }) }).receive(
        await delivery({ ...event, type: 'x' }),
      ),
    ]
    const results = await Promise.all(attempts)
    expect(logger.written.length).toBeGreaterThanOrEqual(6)
    const signature = (good.headers as Record<string, string>)['service-signature']?.split('v1=')[1] as string
    const everything = [
      ...logger.written,
      ...logger.causes.map((cause) => `${cause}${(cause as Error).stack}`),
      ...results.flatMap(({ body, headers }) => [body, JSON.stringify(headers)]),
      ...results.map((result) => ('detail' in result ? result.detail : '')),
    ].join('\n')
    for (const leak of [secret, pin, signature, 'mobile_money']) {
      expect(everything).not.toContain(leak)
    }
  })
})

describe('a logger', () => {
  it('is the console by default', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const receiver = createReceiver({ secret, store: memoryStore(), fallback: () => {} })
    await receiver.receive({ headers: {}, body: new Uint8Array() })
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('may be turned off', async () => {
    const spies = (['info', 'warn', 'error'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(() => {}),
    )
    const receiver = createReceiver({
      secret,
      now: clock,
      logger: false,
      store: memoryStore(),
      fallback: () => Promise.reject(new Error('x')),
    })
    await receiver.start()
    await receiver.receive({ headers: {}, body: new Uint8Array() })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_failed' })
    for (const spy of spies) {
      expect(spy).not.toHaveBeenCalled()
    }
  })
})
