import { expect } from 'vitest'
import type { Case } from './cases.js'
import { deliver, RawConnection, rawRequest } from './http.js'
import { type MountRoute, type RouteCall, rig, type SuiteRoute } from './middleware-rig.js'
import { eventually, gate } from './rig.js'
import { headerLines, signed } from './signed.js'

export function dropCases(test: Case, mount: MountRoute): void {
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
