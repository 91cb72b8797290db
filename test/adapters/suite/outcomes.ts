import { expect } from 'vitest'
import type { Case } from './cases.js'
import { brief, deliver } from './http.js'
import { eventually, gate, type Mount, rig, type SuiteHandler } from './rig.js'
import { secret, signed } from './signed.js'

/** Tests the outcomes of an authentic delivery: failing handlers, concurrent deliveries, duplicates. */
export function outcomeCases(test: Case, mount: Mount): void {
  const failures: readonly (readonly [string, SuiteHandler])[] = [
    ['rejects', () => Promise.reject(new Error(`${secret} at line 7`))],
    [
      'throws synchronously',
      () => {
        throw new Error(`${secret} at line 7`)
      },
    ],
    ['rejects with a string', () => Promise.reject(secret)],
    ['rejects with nothing', () => Promise.reject()],
    ['rejects with null', () => Promise.reject(null)],
    ['rejects with an object that cannot be printed', () => Promise.reject(Object.create(null))],
  ]
  for (const [how, handler] of failures) {
    test(`a handler that ${how} gets a 500 and runs again`, async () => {
      let isBroken = true
      const { url, ran, results } = await rig(mount, {
        handler: (event, context) => (isBroken ? handler(event, context) : undefined),
      })
      const delivery = await signed()
      const answer = await deliver(url, delivery)
      expect(answer.status).toBe(500)
      expect(answer.text).toBe(
        JSON.stringify({ outcome: 'failed', code: 'handler_failed', eventId: delivery.id }),
      )
      expect(results.map(({ outcome }) => outcome)).toEqual(['failed'])
      isBroken = false
      expect(brief(await deliver(url, delivery))).toEqual([200, 'processed', undefined])
      expect(ran).toHaveLength(2)
    })
  }

  test('a handler that never settles gets a 503 in time, an aborted signal, and keeps its claim', async () => {
    let signal: AbortSignal | undefined
    const { url, ran } = await rig(mount, {
      handlerTimeoutSeconds: 0.3,
      handler: (_event, context) => {
        signal = context.signal
        return new Promise(() => {})
      },
    })
    const delivery = await signed()
    expect(brief(await deliver(url, delivery))).toEqual([503, 'failed', 'handler_timeout'])
    expect(signal?.aborted).toBe(true)
    const again = await deliver(url, delivery)
    expect(brief(again)).toEqual([503, 'in_progress', 'in_progress'])
    expect(Number(again.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(ran).toHaveLength(1)
  })

  test('another delivery runs the event after the lease of a handler that never settles', async () => {
    const { url, ran } = await rig(mount, {
      handlerTimeoutSeconds: 0.2,
      leaseSeconds: 1,
      handler: (_event, { attempt }) => (attempt === 1 ? new Promise(() => {}) : undefined),
    })
    const delivery = await signed()
    expect(brief(await deliver(url, delivery))).toEqual([503, 'failed', 'handler_timeout'])
    await eventually(async () => (await deliver(url, delivery)).status === 200, 'the event is processed')
    expect(ran).toHaveLength(2)
  })

  test('a handler that resolves after its 503 marks the event done: the next delivery is a duplicate', async () => {
    const late = gate()
    const { url, ran } = await rig(mount, { handlerTimeoutSeconds: 0.2, handler: () => late.opened })
    const delivery = await signed()
    expect(brief(await deliver(url, delivery))).toEqual([503, 'failed', 'handler_timeout'])
    late.open()
    expect(brief(await deliver(url, delivery))).toEqual([200, 'duplicate', undefined])
    expect(ran).toHaveLength(1)
  })

  test('a second delivery of the same event is a duplicate', async () => {
    const { url, ran } = await rig(mount)
    const delivery = await signed()
    expect(brief(await deliver(url, delivery))).toEqual([200, 'processed', undefined])
    const again = await deliver(url, delivery)
    expect(again.status).toBe(200)
    expect(again.text).toBe(JSON.stringify({ outcome: 'duplicate', eventId: delivery.id }))
    expect(ran).toHaveLength(1)
  })

  test('the same id with other content is a conflict and never runs', async () => {
    const { url, ran } = await rig(mount)
    const delivery = await signed()
    await deliver(url, delivery)
    const other = await signed({ id: delivery.id, type: 'transfer.reversed' })
    expect(brief(await deliver(url, other))).toEqual([400, 'rejected', 'event_id_conflict'])
    expect(ran).toHaveLength(1)
  })

  test('one of fifty concurrent deliveries runs, and the others are duplicates', async () => {
    const { url, ran } = await rig(mount, {
      handler: () => new Promise((resolve) => setTimeout(resolve, 100)),
    })
    const delivery = await signed()
    const answers = await Promise.all(Array.from({ length: 50 }, () => deliver(url, delivery)))
    const processed = answers.filter(({ json }) => json?.outcome === 'processed')
    expect([ran.length, processed.length]).toEqual([1, 1])
    for (const answer of answers) {
      const { status, json, headers } = answer
      if (json?.outcome === 'in_progress') {
        expect(status).toBe(503)
        expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
      } else {
        expect(status).toBe(200)
        expect(['processed', 'duplicate']).toContain(json?.outcome)
      }
    }
  })

  test('concurrent deliveries of a running event get a 503 with Retry-After', async () => {
    const slow = gate()
    const { url, ran } = await rig(mount, { handlerTimeoutSeconds: 2, handler: () => slow.opened })
    const delivery = await signed()
    const first = deliver(url, delivery)
    await eventually(() => ran.length === 1, 'the handler runs')
    const others = await Promise.all(Array.from({ length: 5 }, () => deliver(url, delivery)))
    for (const concurrent of others) {
      expect(brief(concurrent)).toEqual([503, 'in_progress', 'in_progress'])
      expect(Number(concurrent.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    }
    slow.open()
    expect(brief(await first)).toEqual([200, 'processed', undefined])
    expect(ran).toHaveLength(1)
  })

  test('different events run concurrently', async () => {
    const { url, ran } = await rig(mount, {
      handler: () => eventually(() => ran.length === 10, 'ten handlers run at once'),
    })
    const deliveries = await Promise.all(Array.from({ length: 10 }, () => signed()))
    const answers = await Promise.all(deliveries.map((delivery) => deliver(url, delivery)))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  })

  test('a type without a handler is acknowledged as ignored', async () => {
    const { url, ran, storeCalls } = await rig(mount, { handlers: { 'transfer.settled': () => {} } })
    const delivery = await signed({ type: 'evidence.exported' })
    const answer = await deliver(url, delivery)
    expect([answer.status, answer.text]).toEqual([
      200,
      JSON.stringify({ outcome: 'ignored', eventId: delivery.id }),
    ])
    expect([ran.length, storeCalls()]).toEqual([0, 0])
  })

  for (const type of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'then']) {
    test(`a type named ${type} finds no handler`, async () => {
      const { url, ran } = await rig(mount, { handlers: { 'transfer.settled': () => {} } })
      const answer = await deliver(url, await signed({ type }))
      expect(brief(answer)).toEqual([200, 'ignored', undefined])
      expect(ran).toHaveLength(0)
    })
  }
}
