import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { nodeHandler } from '../../adapters/node.js'
import { PayloadError, type WebhookEvent } from '../../src/index.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, secret, settled } from './deliver.js'
import { recorder } from './telemetry-recorder.js'

afterAll(removeFiles)

const common = { secret, now: clock } as const

/** Handlers get readonly types, but plain JavaScript can change everything. */
const changes: Record<string, (event: Record<string, unknown>, context: { warnings: unknown[] }) => void> = {
  'sets the id to an object without a prototype': (event) => {
    event.id = Object.create(null)
  },
  'sets the id to a bigint': (event) => {
    event.id = 1n
  },
  'sets the type to null': (event) => {
    event.type = null
  },
  'sets the time to a symbol': (event) => {
    event.createdAt = Symbol('now')
  },
  'adds an odd warning': (_, { warnings }) => {
    warnings.push(undefined, Object.create(null))
  },
  'makes the list of warnings huge': (_, { warnings }) => {
    warnings.length = 1e9
  },
}

it.each(Object.entries(changes))('a handler that %s does not change the result', async (_, change) => {
  const { told, telemetry } = recorder()
  const results: unknown[] = []
  const receiver = createReceiver({
    ...common,
    logger: lines(),
    store: memoryStore(),
    telemetry,
    onResult: (result) => results.push(result),
    fallback: (event, context) => change(event as never, context as never),
  })
  const result = await receiver.receive(await delivery())
  expect(result).toMatchObject({
    outcome: 'processed',
    eventId: 'evt_1',
    event: { type: 'transfer.settled' },
  })
  expect(results).toEqual([result])
  expect(told.delivered).toMatchObject([{ type: 'transfer.settled', result: { outcome: 'processed' } }])
})

it('a handler that changes the id and throws leaves its own error as the cause', async () => {
  const receiver = createReceiver({
    ...common,
    logger: false,
    store: sqliteStore(newFile()),
    queue: localQueue({ retry: { attempts: 1 } }),
    fallback(event) {
      Object.assign(event, { id: Object.create(null) })
      throw new Error('the true cause')
    },
  })
  await receiver.start()
  await receiver.receive(await delivery())
  await vi.waitFor(async () => {
    const [event] = await receiver.list()
    expect(event).toMatchObject({
      id: 'evt_1',
      state: 'dead',
      lastError: expect.stringContaining('the true cause'),
    })
  }, 15_000)
  await receiver.stop()
})

const text = (body: unknown) => new TextDecoder().decode(body as Uint8Array)

/** `slice` of a Buffer, which is what most adapters read, returns a view and not a copy. */
it.each(['a Uint8Array', 'a Buffer'])(
  'resource() cannot change the bytes of %s that are stored',
  async (kind) => {
    const receiver = createReceiver({
      ...common,
      logger: false,
      store: sqliteStore(newFile()),
      queue: localQueue(),
      fallback() {},
      resource(event: WebhookEvent) {
        event.raw.fill(32)
        return 'r'
      },
    })
    const sent = await delivery()
    const before = text(sent.body)
    const body = kind === 'a Buffer' ? Buffer.from(before) : sent.body
    const result = await receiver.receive({ ...sent, body })
    expect(result).toMatchObject({ outcome: 'accepted' })
    const [stored] = await receiver.list()
    expect(text(stored?.body)).toBe(before)
    await receiver.stop()
  },
)

/** Overwrites what a telemetry can reach, and changes the data that the content hash covers. */
const overwrite = ({ event }: { readonly event: WebhookEvent }) => {
  event.raw.fill(32)
  Object.assign(event.data as object, { transferId: 'another' })
  return undefined
}

it.each([
  ['storing', { queue: localQueue() }],
  ['running', {}],
] as const)(
  'a telemetry that changes the event when it is %s changes nothing that is stored',
  async (method, options) => {
    const file = newFile()
    const open = (telemetry?: object) =>
      createReceiver({
        ...common,
        ...options,
        logger: false,
        store: sqliteStore(file),
        fallback() {},
        ...(telemetry && { telemetry }),
      })
    const sent = await delivery()
    const before = text(sent.body)
    const receiver = open({ [method]: overwrite })
    expect(await receiver.receive({ ...sent, body: Buffer.from(before) })).toMatchObject({ status: 200 })
    const [stored] = await receiver.list()
    expect(text(stored?.body)).toBe(before)
    await receiver.stop()
    const again = open()
    expect(await again.receive(await delivery())).toMatchObject({ outcome: 'duplicate' })
    await again.stop()
  },
)

it('user code cannot change the stored bytes of a request, of a release or of an edited copy', async () => {
  const store = sqliteStore(newFile())
  const open = (inexactNumbers: 'refuse' | 'round') =>
    createReceiver({
      ...common,
      logger: false,
      store,
      queue: localQueue(),
      inexactNumbers,
      fallback() {},
      resource: ({ raw }) => String(raw.fill(32).length),
    })
  const [strict, lenient] = [open('refuse'), open('round')]
  const server = createServer(nodeHandler(strict)).listen(0)
  onTestFinished(() => {
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  async function send(body: string): Promise<unknown> {
    const { headers } = await delivery(body)
    const answer = await fetch(origin, { method: 'POST', headers: headers as Record<string, string>, body })
    return answer.json()
  }
  const sound = JSON.stringify(settled)
  const rounded = `{"id":"evt_2","type":"a.b","createdAt":"2026-01-02T03:04:05Z","data":{"n":12345678901234567891}}`
  expect(await send(sound)).toMatchObject({ outcome: 'accepted' })
  expect(await send(rounded)).toMatchObject({ outcome: 'quarantined' })
  const audit = { reason: 'a test', actor: 'a test' }
  expect(await lenient.verifyAgain({}, audit)).toMatchObject({ released: ['evt_2'] })
  const copy = await lenient.replayEdited('evt_1', { body: Buffer.from(sound) }, audit)
  const kept = async (id: string) => text((await strict.inspect(id))?.body)
  expect([await kept('evt_1'), await kept('evt_2')]).toEqual([sound, rounded])
  expect(JSON.parse(await kept(copy))).toEqual({ ...settled, id: copy })
  await Promise.all([strict.stop(), lenient.stop()])
})

it('a schema that changes its input does not change what an edited copy says', async () => {
  const seen: unknown[] = []
  const receiver = createReceiver({
    ...common,
    logger: false,
    store: sqliteStore(newFile()),
    queue: localQueue(),
    schemas: {
      'transfer.settled': {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: (value: unknown) => ({ value: Object.assign(value as object, { rail: 'a default' }) }),
        },
      },
    },
    resource: (event) => String(Object.assign(event.data as object, { status: 'changed' }).status),
    fallback: (event) => void seen.push(event.id),
  })
  await receiver.start()
  await receiver.receive(await delivery())
  const id = await receiver.replayEdited(
    'evt_1',
    { data: settled.data },
    { reason: 'a test', actor: 'a test' },
  )
  await vi.waitFor(async () => {
    expect(await receiver.inspect(id)).toMatchObject({ state: 'done' })
  }, 15_000)
  expect(seen).toContain(id)
  await receiver.stop()
})

it('a schema that throws a PayloadError without a text is a failed handler', async () => {
  const thrown = Object.assign(new PayloadError('invalid_data', 'x'), { detail: {}, code: 'toString' })
  const validate = () => {
    throw thrown
  }
  const receiver = createReceiver({
    ...common,
    logger: false,
    store: memoryStore(),
    schemas: { 'transfer.settled': { '~standard': { version: 1, vendor: 'test', validate } } },
    fallback() {},
  })
  expect(await receiver.receive(await delivery())).toMatchObject({
    outcome: 'failed',
    code: 'handler_failed',
  })
})

it('a clock that fails for telemetry does not change the result', async () => {
  const { told, telemetry } = recorder()
  let calls = 0
  const receiver = createReceiver({
    secret,
    logger: false,
    store: memoryStore(),
    telemetry,
    fallback() {},
    now: () => {
      if (calls++ > 0) {
        throw new Error('no clock')
      }
      return clock()
    },
  })
  calls = 0
  expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
  expect(told.delivered).toMatchObject([{ clockSkewSeconds: undefined }])
})
