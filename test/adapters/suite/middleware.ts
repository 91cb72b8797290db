import { describe, expect, onTestFinished } from 'vitest'
import type { Webhook } from '../../../adapters/node/guard-route.js'
import { createGate, type GateOptions } from '../../../src/receiver.js'
import type { Store } from '../../../src/store/store.js'
import { memoryStore } from '../../../src/stores/memory.js'
import { type Case, caseWith, type Deviation } from './cases.js'
import { deliver, RawConnection, rawRequest } from './http.js'
import { eventually, gate, type Mounted, pause, watched } from './rig.js'
import { headerLines, type Signed, secret, signed } from './signed.js'

/** The actions of a route, for any framework. */
export interface RouteCall {
  readonly webhook: Webhook
  /** Sends a response with the API of the framework. */
  reply(status: number, body?: string): unknown
  /** Sends a stream of chunks with the API of the framework. */
  stream(status: number, chunks: AsyncIterable<string>): unknown
}

export type SuiteRoute = (call: RouteCall) => unknown

/** Starts a real server with the middleware and a route behind it. */
export type MountRoute = (options: GateOptions, route: SuiteRoute) => Mounted | Promise<Mounted>

/** Tests the middleware form of an adapter over real sockets. Each test calls `mount` once. */
export function middlewareSuite(name: string, mount: MountRoute, skip?: readonly Deviation[]): void {
  describe(`${name}, middleware form`, () => {
    const test = caseWith(skip)
    answerCases(test, mount)
    markCases(test, mount)
    lateCases(test, mount)
    dropCases(test, mount)
  })
}

async function rig(mount: MountRoute, route: SuiteRoute, options: Partial<GateOptions> = {}) {
  const watch = watched(options.store ?? memoryStore())
  const calls: RouteCall[] = []
  const mounted = await mount({ secret, ...watch.options, ...options, store: watch.store }, (call) => {
    calls.push(call)
    return route(call)
  })
  onTestFinished(async () => void (await mounted.close()))
  return { url: mounted.url, calls, ...watch.seen }
}

function answerCases(test: Case, mount: MountRoute): void {
  test('the route gets the verified event with its signal, attempt and warnings', async () => {
    const { url, calls } = await rig(mount, ({ reply }) => reply(204))
    const delivery = await signed()
    const answer = await deliver(url, delivery)
    expect([answer.status, answer.text]).toEqual([204, ''])
    const { event, attempt, warnings, signal } = (calls[0] as RouteCall).webhook
    expect(event).toMatchObject({ id: delivery.id, type: 'transfer.settled', data: { transferId: 'tr_1' } })
    expect(Buffer.from(event.raw)).toEqual(delivery.body)
    expect([attempt, warnings, signal.aborted]).toEqual([1, [], false])
  })

  for (const status of [200, 201, 202, 204, 299]) {
    test(`a route that answers ${status} marks the event done`, async () => {
      const { url, calls, results } = await rig(mount, ({ reply }) =>
        reply(status, status === 204 ? undefined : 'own'),
      )
      const delivery = await signed()
      const answer = await deliver(url, delivery)
      expect([answer.status, answer.text]).toEqual([status, status === 204 ? '' : 'own'])
      const again = await deliver(url, delivery)
      expect([again.status, again.json]).toEqual([200, { outcome: 'duplicate', eventId: delivery.id }])
      expect(results.map(({ outcome }) => outcome)).toEqual(['processed', 'duplicate'])
      expect(calls).toHaveLength(1)
    })
  }

  for (const status of [301, 400, 404, 409, 422, 500, 503]) {
    test(`a route that answers ${status} releases the event`, async () => {
      let isWilling = false
      const { url, calls, results } = await rig(mount, ({ reply }) =>
        reply(isWilling ? 204 : status, isWilling ? undefined : 'own'),
      )
      const delivery = await signed()
      const answer = await deliver(url, delivery)
      expect([answer.status, answer.text]).toEqual([status, 'own'])
      isWilling = true
      expect((await deliver(url, delivery)).status).toBe(204)
      expect(calls.map(({ webhook }) => webhook.attempt)).toEqual([1, 2])
      expect(results[0]).toMatchObject({ outcome: 'failed', code: 'handler_failed' })
      expect(String((results[0] as { cause?: unknown }).cause)).toContain(`the route answered ${status}`)
    })
  }

  for (const [how, fail] of [
    ['rejects', () => Promise.reject(new Error('no'))],
    [
      'throws synchronously',
      () => {
        throw new Error('no')
      },
    ],
  ] as const) {
    test(`a route that ${how} releases the event, and the framework answers 500`, async () => {
      let isWilling = false
      const { url, calls } = await rig(mount, ({ reply }) => (isWilling ? reply(204) : fail()))
      const delivery = await signed()
      expect((await deliver(url, delivery)).status).toBe(500)
      isWilling = true
      expect((await deliver(url, delivery)).status).toBe(204)
      expect(calls).toHaveLength(2)
    })
  }

  test('a streamed response is sent completely, and the event is done', async () => {
    async function* chunks() {
      for (let i = 0; i < 20; i++) {
        await pause(1)
        yield `part ${i} ☕\n`
      }
    }
    const { url, calls } = await rig(mount, ({ stream }) => stream(200, chunks()))
    const delivery = await signed()
    const answer = await deliver(url, delivery)
    expect(answer.status).toBe(200)
    expect(answer.text).toBe(Array.from({ length: 20 }, (_, i) => `part ${i} ☕\n`).join(''))
    expect((await deliver(url, delivery)).json?.outcome).toBe('duplicate')
    expect(calls).toHaveLength(1)
  })

  test('a rejected delivery does not reach the route', async () => {
    const { url, calls, storeCalls } = await rig(mount, ({ reply }) => reply(204))
    const delivery = await signed()
    const unsigned = await deliver(url, delivery, { headers: { 'service-signature': undefined } })
    expect([unsigned.status, unsigned.text]).toEqual([
      401,
      '{"outcome":"rejected","code":"missing_signature"}',
    ])
    const text = await deliver(url, delivery, { headers: { 'content-type': 'text/plain' } })
    expect([text.status, text.json?.code]).toEqual([415, 'unsupported_media_type'])
    expect([calls.length, storeCalls()]).toEqual([0, 0])
  })

  test('one of several concurrent deliveries reaches the route, and the adapter answers the others', async () => {
    const { url, calls } = await rig(mount, async ({ reply }) => {
      await pause(100)
      return reply(204)
    })
    const delivery = await signed()
    const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(url, delivery)))
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    for (const { status, json } of answers.filter(({ status }) => status !== 204)) {
      expect([status, json?.outcome]).toEqual(status === 200 ? [200, 'duplicate'] : [503, 'in_progress'])
    }
    expect(calls).toHaveLength(1)
  })
}

/** A memory store that calls `mark` before it marks an event done. */
function storeWith(mark: () => Promise<void>): Store {
  const memory = memoryStore()
  return {
    ...memory,
    once: (event, work) =>
      memory.once(event, async (context) => {
        const value = await work(context)
        await mark()
        return value
      }),
  }
}

function markCases(test: Case, mount: MountRoute): void {
  test('a 2xx of the route is sent only after the event is marked done', async () => {
    const marked = gate()
    let isMarked = false
    const store = storeWith(async () => {
      await marked.opened
      isMarked = true
    })
    const { url, calls } = await rig(mount, ({ reply }) => reply(201, 'own'), { store })
    const delivery = await signed()
    const connection = new RawConnection(url)
    connection.write(rawRequest(url, 'POST', headerLines(delivery)))
    connection.write(delivery.body)
    await eventually(() => calls.length === 1, 'the route runs')
    await pause(150)
    expect([connection.text, isMarked]).toEqual(['', false])
    marked.open()
    const answer = await connection.answer()
    expect([answer.status, answer.text, isMarked]).toEqual([201, 'own', true])
    connection.destroy()
  })

  test('a streamed 2xx is sent only after the event is marked done', async () => {
    const marked = gate()
    async function* chunks() {
      yield 'one '
      await pause(20)
      yield 'two'
    }
    const { url, calls } = await rig(mount, ({ stream }) => stream(200, chunks()), {
      store: storeWith(() => marked.opened),
    })
    const delivery = await signed()
    const connection = new RawConnection(url)
    connection.write(rawRequest(url, 'POST', [...headerLines(delivery), ['connection', 'close']]))
    connection.write(delivery.body)
    await eventually(() => calls.length === 1, 'the route runs')
    await pause(150)
    expect(connection.text).toBe('')
    marked.open()
    await connection.untilClosed()
    expect(connection.text).toMatch(/^HTTP\/1\.1 200 OK\r\n.*one .*two/s)
  })

  test('when the event cannot be marked done, the 204 of the route becomes a 503 without its headers', async () => {
    let isDown = true
    const store = storeWith(() => (isDown ? Promise.reject(new Error(`down ${secret}`)) : Promise.resolve()))
    const { url, calls, results } = await rig(
      mount,
      ({ reply }) => reply(isDown ? 200 : 204, isDown ? 'own' : undefined),
      { store },
    )
    const delivery = await signed()
    const answer = await deliver(url, delivery)
    expect([answer.status, answer.json]).toEqual([
      503,
      { outcome: 'failed', code: 'store_unavailable', eventId: delivery.id },
    ])
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)))
    expect([answer.headers['x-route'], answer.headers.etag]).toEqual([undefined, undefined])
    expect(results[0]).toMatchObject({ code: 'store_unavailable' })
    isDown = false
    expect((await deliver(url, delivery)).status).toBe(204)
    expect(calls).toHaveLength(2)
  })

  test('a store that takes too long to mark the event done gets a 503 in time', async () => {
    const { url } = await rig(mount, ({ reply }) => reply(204), {
      handlerTimeoutSeconds: 0.3,
      store: storeWith(() => new Promise(() => {})),
    })
    const answer = await deliver(url, await signed())
    expect([answer.status, answer.json?.outcome]).toEqual([503, 'failed'])
  })

  test('a misconfigured middleware throws at construction', async () => {
    const build = async (options: object) => mount(options as GateOptions, () => {})
    await expect(build({ secret })).rejects.toMatchObject({ code: 'invalid_store' })
    await expect(build({ secret: '', store: memoryStore() })).rejects.toMatchObject({
      code: 'invalid_secret',
    })
    await expect(build({ secret, store: memoryStore(), handlers: {} })).rejects.toMatchObject({
      code: 'unknown_option',
    })
    expect(() => createGate({ secret, store: memoryStore() })).not.toThrow()
  })
}

function lateCases(test: Case, mount: MountRoute): void {
  test('a route that never answers gets a 503 in time, an aborted signal, and keeps its claim', async () => {
    const { url, calls } = await rig(mount, () => new Promise(() => {}), { handlerTimeoutSeconds: 0.3 })
    const delivery = await signed()
    const answer = await deliver(url, delivery)
    expect([answer.status, answer.json]).toEqual([
      503,
      { outcome: 'failed', code: 'handler_timeout', eventId: delivery.id },
    ])
    expect(calls[0]?.webhook.signal.aborted).toBe(true)
    expect((await deliver(url, delivery)).json?.outcome).toBe('in_progress')
    expect(calls).toHaveLength(1)
  })

  for (const [how, late] of [
    ['204', (call: RouteCall) => call.reply(204)],
    ['200 with a body', (call: RouteCall) => call.reply(200, 'late')],
    [
      'a stream',
      (call: RouteCall) =>
        call.stream(
          200,
          (async function* () {
            yield 'late'
          })(),
        ),
    ],
  ] as const) {
    test(`a late response (${how}) is dropped but marks the event done: the next delivery is a duplicate`, async () => {
      const slow = gate()
      const failures = watchProcess()
      const { url, calls } = await rig(
        mount,
        async (call) => {
          await slow.opened
          return late(call)
        },
        { handlerTimeoutSeconds: 0.2 },
      )
      const delivery = await signed()
      expect((await deliver(url, delivery)).status).toBe(503)
      slow.open()
      await eventuallyDelivered(url, delivery, 'duplicate')
      expect(calls).toHaveLength(1)
      expect(failures()).toEqual([])
    })
  }

  for (const [how, late] of [
    ['answers 500', (call: RouteCall) => call.reply(500, 'late')],
    ['throws', () => Promise.reject(new Error('late'))],
  ] as const) {
    test(`a route that ${how} late releases the event`, async () => {
      const slow = gate()
      const failures = watchProcess()
      let isSlow = true
      const { url, calls } = await rig(
        mount,
        async (call) => {
          if (!isSlow) {
            return call.reply(204)
          }
          await slow.opened
          return late(call)
        },
        { handlerTimeoutSeconds: 0.2 },
      )
      const delivery = await signed()
      expect((await deliver(url, delivery)).status).toBe(503)
      isSlow = false
      slow.open()
      await pause(50)
      expect((await deliver(url, delivery)).status).toBe(204)
      expect(calls).toHaveLength(2)
      expect(failures()).toEqual([])
    })
  }
}

function dropCases(test: Case, mount: MountRoute): void {
  for (const [how, finish, then] of [
    ['answers 204', (call: RouteCall) => call.reply(204), 'duplicate'],
    ['answers 200 with a body', (call: RouteCall) => call.reply(200, 'own'), 'duplicate'],
    ['answers 500', (call: RouteCall) => call.reply(500, 'own'), 'processed'],
    ['throws', () => Promise.reject(new Error('no')), 'processed'],
  ] as const) {
    test(`after the sender hangs up and the route ${how}, the redelivery is ${then}`, async () => {
      const slow = gate()
      let isFirst = true
      const route: SuiteRoute = async (call) => {
        if (!isFirst) {
          return call.reply(204)
        }
        isFirst = false
        await slow.opened
        return finish(call)
      }
      const { url, calls, results } = await rig(mount, route, { handlerTimeoutSeconds: 2 })
      const delivery = await signed()
      const connection = new RawConnection(url)
      connection.write(rawRequest(url, 'POST', headerLines(delivery)))
      connection.write(delivery.body)
      await eventually(() => calls.length === 1, 'the route runs')
      const { signal } = (calls[0] as RouteCall).webhook
      expect(signal.aborted).toBe(false)
      connection.destroy()
      await eventually(() => signal.aborted, 'the signal fires')
      expect(String(signal.reason)).toContain('the connection dropped')

      const meanwhile = await deliver(url, delivery)
      expect([meanwhile.status, meanwhile.json?.outcome]).toEqual([503, 'in_progress'])
      expect(calls).toHaveLength(1)

      slow.open()
      await eventually(() => results.length === 2, 'the dropped delivery ends')
      const again = await deliver(url, delivery)
      expect(again.status).toBe(then === 'duplicate' ? 200 : 204)
      expect(results.at(-1)?.outcome).toBe(then)
      expect(calls).toHaveLength(then === 'duplicate' ? 1 : 2)
    })
  }
}

async function eventuallyDelivered(url: string, delivery: Signed, outcome: string): Promise<void> {
  for (let i = 0; i < 50; i++) {
    const { json } = await deliver(url, delivery)
    if (json?.outcome === outcome) {
      return
    }
    expect(json?.outcome).toBe('in_progress')
  }
  throw new Error(`never ${outcome}`)
}

/** Collects errors that would crash the process, until the test ends. */
function watchProcess(): () => unknown[] {
  const failures: unknown[] = []
  const collect = (error: unknown) => void failures.push(error)
  process.on('unhandledRejection', collect)
  process.on('uncaughtException', collect)
  onTestFinished(() => {
    process.off('unhandledRejection', collect)
    process.off('uncaughtException', collect)
  })
  return () => failures
}
