import { expect, onTestFinished } from 'vitest'
import type { Case } from './cases.js'
import { deliver } from './http.js'
import { type MountRoute, type RouteCall, rig } from './middleware-rig.js'
import { gate, pause } from './rig.js'
import { type Signed, signed } from './signed.js'

export function lateCases(test: Case, mount: MountRoute): void {
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
