import { expect } from 'vitest'
import { createGate, type GateOptions } from '../../../src/receiver.js'
import type { Store } from '../../../src/store/store.js'
import { memoryStore } from '../../../src/stores/memory.js'
import type { Case } from './cases.js'
import { deliver, RawConnection, rawRequest } from './http.js'
import { type MountRoute, rig } from './middleware-rig.js'
import { eventually, gate, pause } from './rig.js'
import { headerLines, secret, signed } from './signed.js'

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

export function markCases(test: Case, mount: MountRoute): void {
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
