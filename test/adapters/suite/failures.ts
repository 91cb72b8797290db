import { expect } from 'vitest'
import { memoryStore } from '../../../src/stores/memory.js'
import type { Case } from './cases.js'
import { brief, deliver } from './http.js'
import { eventually, gate, type Mount, rig } from './rig.js'
import { secret, signed } from './signed.js'

/** Tests what a failing store or secret does to a response, and what no response contains. */
export function failureCases(test: Case, mount: Mount): void {
  test('a store that rejects gives 503, and no handler runs', async () => {
    const store = { ...memoryStore(), once: () => Promise.reject(new Error(`no route to ${secret}`)) }
    const { url, ran } = await rig(mount, { store })
    const delivery = await signed()
    const answer = await deliver(url, delivery)
    expect(answer.status).toBe(503)
    expect(answer.text).toBe(
      JSON.stringify({ outcome: 'failed', code: 'store_unavailable', eventId: delivery.id }),
    )
    expect(ran).toHaveLength(0)
  })

  test('a store that never answers gives 503 in time', async () => {
    const store = { ...memoryStore(), once: () => new Promise<never>(() => {}) }
    const { url, ran } = await rig(mount, { store, handlerTimeoutSeconds: 0.3 })
    expect(brief(await deliver(url, await signed()))).toEqual([503, 'failed', 'store_unavailable'])
    expect(ran).toHaveLength(0)
  })

  test('the response waits until the event is marked done', async () => {
    const marked = gate()
    const memory = memoryStore()
    let isMarked = false
    const store: typeof memory = {
      ...memory,
      async once(event, work) {
        const outcome = await memory.once(event, work)
        await marked.opened
        isMarked = true
        return outcome
      },
    }
    const { url, ran } = await rig(mount, { store })
    const answer = deliver(url, await signed()).then(({ status }) => ({ status, isMarked }))
    await eventually(() => ran.length === 1, 'the handler runs')
    setTimeout(marked.open, 150)
    expect(await answer).toEqual({ status: 200, isMarked: true })
  })

  test('a secret that cannot be loaded gives 503, and no handler runs', async () => {
    const { url, ran, storeCalls } = await rig(mount, {
      secret: () => Promise.reject(new Error('the vault is sealed')),
    })
    expect(brief(await deliver(url, await signed()))).toEqual([503, 'failed', 'secret_unavailable'])
    expect([ran.length, storeCalls()]).toEqual([0, 0])
  })

  test('a secret resolver gets the url and the headers of the request', async () => {
    const seen: unknown[] = []
    const { url } = await rig(mount, {
      secret: ({ url, source, method }) => {
        seen.push([url, typeof source, method])
        return secret
      },
    })
    const answer = await deliver(`${url}?tenant=a%20b`, await signed())
    expect(answer.status).toBe(200)
    expect(seen).toEqual([[`${new URL(url).pathname}?tenant=a%20b`, 'object', 'POST']])
  })

  test('a response contains only outcome, code and event id', async () => {
    const { url } = await rig(mount, {
      handler: () => Promise.reject(new Error(`boom ${secret}`)),
    })
    const good = await signed()
    const expected = good.headers['service-signature'] as string
    const forged = { 'service-signature': `${expected.slice(0, -3)}abc` }
    const answers = [
      await deliver(url, good),
      await deliver(url, good, { headers: forged }),
      await deliver(url, good, { headers: { 'service-signature': 'x' } }),
      await deliver(url, good, { headers: { 'content-type': 'text/html' } }),
      await deliver(url, await signed({ data: 'no object' })),
    ]
    for (const { text, headers, json } of answers) {
      const whole = `${JSON.stringify(headers)}${text}`
      for (const leak of [
        secret,
        expected.split('v1=')[1] as string,
        'boom',
        'Error',
        'node_modules',
        '.ts:',
      ]) {
        expect(whole).not.toContain(leak)
      }
      expect(['outcome', 'code', 'eventId']).toEqual(expect.arrayContaining(Object.keys(json ?? { none: 1 })))
    }
  })
}
