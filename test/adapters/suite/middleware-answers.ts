import { expect } from 'vitest'
import type { Case } from './cases.js'
import { deliver } from './http.js'
import { type MountRoute, type RouteCall, rig } from './middleware-rig.js'
import { pause } from './rig.js'
import { signed } from './signed.js'

export function answerCases(test: Case, mount: MountRoute): void {
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

  for (const status of [300, 301, 400, 404, 409, 422, 500, 503]) {
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
      const { cause } = results[0] as { cause?: Error }
      expect(String(cause)).toContain(`the route answered ${status}`)
      expect(cause?.stack, 'it names no code of the route').not.toMatch(/^\s+at /m)
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
