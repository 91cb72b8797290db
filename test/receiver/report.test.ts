import { afterAll, describe, expect, it } from 'vitest'
import { codes, explain } from '../../src/codes.js'
import { StoreError } from '../../src/errors.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import type { Acknowledged } from '../../src/result.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, secret, settled } from './deliver.js'
import { never, scriptedStore } from './scripted-store.js'

/** The text of the guarantee and of the log lines. */

afterAll(removeFiles)

const base = { secret, now: clock } as const

const plain = { store: 'stone', scope: 'the village', processCrash: 'yes', hostCrash: 'no', runs: 'once' }

describe('the guarantee', () => {
  const first =
    'store: stone, shared by the village. acknowledged events survive a process crash: yes; a host crash: no. a handler runs once'

  async function describeStore(guarantee: object, options: object = {}) {
    const store = { ...scriptedStore({ check: async () => guarantee as never }), ...options }
    const receiver = createReceiver({ ...base, logger: false, store, fallback: () => {}, ...options })
    await receiver.start({ consume: false })
    return receiver.describe()
  }

  it('says when handlers run', async () => {
    expect(await describeStore(plain)).toBe(`${first}. handlers run before the response`)
  })

  it('ends with the notes and the warnings of the store', async () => {
    expect(await describeStore({ ...plain, notes: ['mind the moss'], warnings: ['and the rain'] })).toBe(
      `${first}. handlers run before the response. mind the moss. and the rain`,
    )
  })

  it('says that a secret from a function is not checked', async () => {
    expect(await describeStore(plain, { secret: () => secret })).toBe(
      `${first}. handlers run before the response. the secret is a function: each delivery calls it, and start() does not check it`,
    )
  })

  it('includes what the queue says', async () => {
    const { inbox } = sqliteStore(newFile())
    const store = { ...scriptedStore({ check: async () => plain as never }), inbox: inbox as never }
    const queue = { guarantee: 'in turn', consume: async () => async () => {} }
    expect(await describeStore(plain, { store, queue })).toBe(`${first}. handlers run from a queue: in turn`)
  })
})

describe('the line of start()', () => {
  async function startWith(guarantee: object, options: object = {}): Promise<string[]> {
    const logger = lines()
    const store = scriptedStore({ check: async () => guarantee as never })
    await createReceiver({ ...base, logger, store, fallback: () => {}, ...options }).start({ consume: false })
    return logger.written
  }

  const document = '; see node_modules/webhook-inbox/docs/stores.md'

  it('says in one sentence what survives, and where to read more', async () => {
    expect(await startWith({ ...plain, notes: ['mind the moss'] })).toEqual([
      `info webhook-inbox: started with stone, without a queue; acknowledged events survive a process crash: yes; a host crash: no${document}`,
    ])
  })

  it('says once what is equally true of both crashes', async () => {
    expect(await startWith({ ...plain, hostCrash: 'yes' })).toEqual([
      `info webhook-inbox: started with stone, without a queue; acknowledged events survive a process or host crash: yes${document}`,
    ])
  })

  it('has a line of its own for each warning of the store', async () => {
    const written = await startWith({ ...plain, warnings: ['the roof leaks'] })
    expect(written).toEqual([expect.stringMatching(/^info /), 'warn webhook-inbox: the roof leaks'])
  })

  it('stays short with a real store and a queue', async () => {
    const store = sqliteStore(newFile())
    const options = { store, queue: localQueue(), endpoint: 'payments' }
    const [line = ''] = await startWith(plain, options)
    expect(line).toMatch(/started with sqlite \S+ and a queue; .*synchronous=FULL/)
    expect(line.length).toBeLessThan(300)
  })
})

describe('the line of a failure', () => {
  const failed = 'error webhook-inbox: event evt_1 (transfer.settled, attempt 1): handler_failed; '
  const advice = `; fix: ${codes.handler_failed.fix}; see node_modules/webhook-inbox/docs/codes.md#handler_failed`

  async function lineOf(thrown: unknown): Promise<string | undefined> {
    const logger = lines()
    const store = scriptedStore()
    const receiver = createReceiver({ ...base, logger, store, fallback: () => Promise.reject(thrown) })
    await receiver.receive(await delivery())
    return logger.written[0]
  }

  const withStack = (error: Error, stack: unknown) => Object.assign(error, { stack })

  it('has the cause in its first 120 characters, and the advice and the document at the end', async () => {
    const line = (await lineOf(new TypeError('no such account'))) ?? ''
    expect(line.slice(0, 120)).toContain('handler_failed; TypeError: no such account; at ')
    expect(line.endsWith(advice)).toBe(true)
  })

  it('has no long list of likely causes where the cause is known', async () => {
    const logger = lines()
    const key = () => {
      throw new Error('no tenant')
    }
    const options = { ...base, logger, store: scriptedStore(), secret: key, fallback: () => {} }
    await createReceiver(options).receive(await delivery())
    expect(logger.written[0]).toMatch(
      /^error webhook-inbox: secret_unavailable; Error: no tenant; at .*; fix: check what the resolver reads;/,
    )
  })

  it('names the endpoint, unless it is the default', async () => {
    const logger = lines()
    const given = { ...base, logger, store: scriptedStore(), endpoint: 'payments' }
    const receiver = createReceiver({ ...given, fallback: () => Promise.reject(new Error('no')) })
    await receiver.start()
    await receiver.receive(await delivery())
    await receiver.receive(await delivery(settled, { secret: 'whsec_other' }))
    expect(logger.written).toEqual([
      expect.stringMatching(/^info webhook-inbox \(payments\): started with /),
      expect.stringMatching(
        /^error webhook-inbox \(payments\): event evt_1 \(transfer\.settled, attempt 1\): handler_failed; Error: no; at /,
      ),
      expect.stringMatching(/^warn webhook-inbox \(payments\): signature_mismatch: /),
    ])
  })

  it('has the name, the message and the first three places of an error', async () => {
    const places = ['a (a.js:1:1)', 'b (b.js:2:2)', 'c (c.js:3:3)', 'd (d.js:4:4)'].map(
      (at) => `    at ${at}`,
    )
    const error = withStack(new TypeError('no'), ['TypeError: no', 'look at this', ...places].join('\n'))
    expect(await lineOf(error)).toBe(
      `${failed}TypeError: no; at a (a.js:1:1) at b (b.js:2:2) at c (c.js:3:3)${advice}`,
    )
  })

  it('has the sentence of an error of ours, and not also that of its code', async () => {
    const logger = lines()
    const cause = withStack(new Error('the socket closed'), undefined)
    const error = new StoreError('it is away; likely cause: a cable; fix: plug it in', { cause })
    const store = scriptedStore({ once: () => Promise.reject(error) })
    await createReceiver({ ...base, logger, store, fallback: () => {} }).receive(await delivery())
    expect(logger.written).toEqual([
      'error webhook-inbox: event evt_1 (transfer.settled): store_unavailable: it is away; Error: the socket closed; likely cause: a cable; fix: plug it in',
    ])
  })

  it.each([[undefined], [7]])('needs no stack: %s', async (stack) => {
    expect(await lineOf(withStack(new Error('no'), stack))).toBe(`${failed}Error: no${advice}`)
  })

  it('follows three causes', async () => {
    const cause = (message: string, options?: ErrorOptions) =>
      withStack(new Error(message, options), undefined)
    const chain = ['d', 'c', 'b', 'a'].reduce<Error>(
      (inner, message) => cause(message, { cause: inner }),
      cause('e'),
    )
    expect(await lineOf(chain)).toBe(
      `${failed}Error: a; caused by Error: b; caused by Error: c; caused by Error: d${advice}`,
    )
  })

  it('has whatever else was thrown', async () => {
    expect(await lineOf('a word')).toBe(`${failed}thrown: a word${advice}`)
    expect(await lineOf(null)).toBe(`${failed}thrown: null${advice}`)
    expect(await lineOf(Object.create(null))).toBe(`${failed}thrown: a value that cannot be printed${advice}`)
    const { stack: _, ...rest } = { stack: '', cause: null }
    expect(await lineOf(withStack(new Error('no', rest), undefined))).toBe(
      `${failed}Error: no; caused by thrown: null${advice}`,
    )
  })

  it('ends with the document where nothing was thrown', async () => {
    const logger = lines()
    const store = scriptedStore({ once: () => never })
    const options = { ...base, logger, store, handlerTimeoutSeconds: 0.05, fallback: () => {} }
    await createReceiver(options).receive(await delivery())
    expect(logger.written).toEqual([
      `error webhook-inbox: event evt_1 (transfer.settled): ${explain('store_unavailable')}`,
    ])
  })

  it('has at most 4000 characters, and the advice also after a long message', async () => {
    const line = (await lineOf(withStack(new Error('x'.repeat(5000)), undefined))) ?? ''
    expect(line.length).toBeLessThan('error '.length + 4000)
    expect(line.endsWith(`xx…${advice}`)).toBe(true)
  })
})

describe('the line of a quarantined delivery', () => {
  it('says why, and is written once a minute', async () => {
    const logger = lines()
    const store = sqliteStore(newFile())
    const receiver = createReceiver({ ...base, logger, store, fallback: () => {} })
    const first = await receiver.receive(await delivery('{'))
    expect(first.outcome).toBe('quarantined')
    const { key, detail } = first as Acknowledged
    const why = explain('invalid_json', detail)
    const line = `warn webhook-inbox: quarantined: ${why}; to look at it: webhook-inbox inbox show ${key}`
    expect(logger.written).toEqual([line])
    expect(await receiver.inspectQuarantined(key ?? '')).toMatchObject({ key, code: 'invalid_json' })
    await receiver.receive(await delivery('{'))
    expect(logger.written).toEqual([line])
  })

  it.each([
    ['invalid_envelope', { ...settled, type: 7 }, 'evt_1'],
    ['invalid_data', `${JSON.stringify(settled).slice(0, -2)},"x":1e999}}`, 'evt_1'],
    ['invalid_envelope', { ...settled, id: 'x'.repeat(5000), type: 7 }, undefined],
    ['invalid_envelope', { ...settled, id: { pin: 'PIN-4711' } }, undefined],
    ['invalid_json', `{"id":"evt_2",${JSON.stringify(settled).slice(1)}`, undefined],
  ])('of %s names the id only if it has the form of an id', async (code, body, id) => {
    const logger = lines()
    const receiver = createReceiver({ ...base, logger, store: sqliteStore(newFile()), fallback: () => {} })
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const result = await receiver.receive(await delivery(text, { headers: { 'service-event-id': 'evt_1' } }))
    expect(result).toMatchObject({ outcome: 'quarantined', code })
    expect([result.eventId, JSON.parse(result.body)]).toEqual([id, { outcome: 'quarantined', code }])
    const [line = ''] = logger.written
    expect(line).toMatch(
      id ? /^warn webhook-inbox: event evt_1: quarantined: / : /^warn webhook-inbox: quarantined: /,
    )
    expect(line).toContain(`inbox show ${(result as Acknowledged).key}`)
    expect(line).not.toMatch(/PIN-4711|xxx/)
    expect(await receiver.quarantined()).toMatchObject([id ? { eventId: id } : {}])
  })

  it('says so too if the delivery has the id of a stored event', async () => {
    const logger = lines()
    const store = sqliteStore(newFile())
    const receiver = createReceiver({ ...base, logger, store, fallback: () => {} })
    await receiver.receive(await delivery())
    await receiver.receive(await delivery({ ...settled, data: { ...settled.data, rail: 'card' } }))
    expect(logger.written).toEqual([expect.stringMatching(/event evt_1: quarantined: event_id_conflict/)])
  })
})

describe('the lines of an event', () => {
  it('flatten a warning of a handler, and are not repeated for a duplicate', async () => {
    const logger = lines()
    const receiver = createReceiver({
      ...base,
      logger,
      store: scriptedStore(),
      fallback: (_event, { warn }) => warn('two\nlines'),
    })
    await receiver.receive(await delivery())
    await receiver.receive(await delivery())
    expect(logger.written).toEqual(['warn webhook-inbox: event evt_1: two\ufffdlines'])
  })

  it('say once that a type has no handler', async () => {
    const logger = lines()
    const receiver = createReceiver({ ...base, logger, store: scriptedStore(), handlers: {} })
    for (const id of ['evt_1', 'evt_2']) {
      await receiver.receive(await delivery({ ...settled, id }))
    }
    expect(logger.written).toEqual([
      'info webhook-inbox: no handler for transfer.settled: such events are acknowledged as ignored; logged once',
    ])
  })

  it.each([
    ['transfer.setled', true],
    ['Transfer.Settled', true],
    ['transfer.failed', false],
    ['ledger.matched', false],
  ])('say that the handler of %s may be misspelled: %s', async (type, isSimilar) => {
    const logger = lines()
    const options = { ...base, logger, store: scriptedStore(), handlers: { [type]() {} } }
    await createReceiver(options as never).receive(await delivery(settled))
    const fix = `; there is one for ${type}; fix: correct its name if it is misspelled`
    expect(logger.written).toEqual([
      `${isSimilar ? 'warn' : 'info'} webhook-inbox: no handler for transfer.settled: such events are acknowledged as ignored; logged once${isSimilar ? fix : ''}`,
    ])
  })
})
