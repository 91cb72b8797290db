import http from 'node:http'
import { expect } from 'vitest'
import type { Case } from './cases.js'
import { deliver, RawConnection, rawRequest } from './http.js'
import { eventually, gate, type Mount, pause, rig } from './rig.js'
import { headerLines, signed } from './signed.js'

/** Tests connections that break, and connections that are reused. */
export function connectionCases(test: Case, mount: Mount, ownsConnection: boolean): void {
  for (const [how, framing] of [
    ['declared', ['content-length', '5000']],
    ['chunked', ['transfer-encoding', 'chunked']],
  ] as const) {
    test(`an aborted upload (${how}) calls no store, and the next delivery works`, async () => {
      const { url, ran, results, storeCalls } = await rig(mount)
      const { headers, body } = await signed()
      const connection = new RawConnection(url)
      connection.write(rawRequest(url, 'POST', [...Object.entries(headers), framing]))
      const part = body.subarray(0, 100)
      connection.write(how === 'chunked' ? `64\r\n${part}\r\n` : part)
      await pause(50)
      connection.destroy()
      await eventually(() => results.length === 1, 'the receiver gives up on the delivery')
      expect(results[0]).toMatchObject({ outcome: 'rejected', code: 'body_incomplete' })
      expect([ran.length, storeCalls()]).toEqual([0, 0])
      expect((await deliver(url, await signed())).status).toBe(200)
    })
  }

  test('a sender that hangs up after the headers does not affect the next delivery', async () => {
    const { url, ran } = await rig(mount)
    const delivery = await signed()
    for (let i = 0; i < 20; i++) {
      const connection = new RawConnection(url)
      connection.write(rawRequest(url, 'POST', headerLines(delivery)))
      await pause(2)
      connection.destroy()
    }
    expect((await deliver(url, delivery)).status).toBe(200)
    expect(ran).toHaveLength(1)
  })

  test('when the sender hangs up before the response, the handler finishes once and a redelivery is a duplicate', async () => {
    const slow = gate()
    let finished = 0
    const { url, ran, results } = await rig(mount, {
      handler: async () => {
        await slow.opened
        finished++
      },
    })
    const delivery = await signed()
    const connection = new RawConnection(url)
    connection.write(rawRequest(url, 'POST', headerLines(delivery)))
    connection.write(delivery.body)
    await eventually(() => ran.length === 1, 'the handler runs')
    connection.destroy()
    await pause(50)
    slow.open()
    await eventually(() => results.length === 1, 'the delivery ends')
    const again = await deliver(url, delivery)
    expect([again.status, again.json?.outcome]).toEqual([200, 'duplicate'])
    expect([ran.length, finished]).toEqual([1, 1])
  })

  test('one connection serves consecutive deliveries with different responses', async () => {
    const { url, ran } = await rig(mount, {
      handler: ({ type }) => (type === 'bad' ? Promise.reject(new Error('bad')) : undefined),
    })
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const good = await signed()
    const statuses: number[] = []
    try {
      for (const [delivery, headers] of [
        [good, {}],
        [good, { 'service-signature': 'x' }],
        [good, {}],
        [await signed({ type: 'bad' }), {}],
        [good, { 'content-type': 'text/plain' }],
        [await signed({ data: 1 }), {}],
        [await signed(), {}],
      ] as const) {
        statuses.push((await deliver(url, delivery, { headers, agent })).status)
      }
    } finally {
      agent.destroy()
    }
    expect(statuses).toEqual([200, 401, 200, 500, 415, 400, 200])
    expect(ran).toHaveLength(3)
  })

  test('a rejected delivery that arrived completely keeps its connection open', async () => {
    const { url } = await rig(mount)
    const delivery = await signed()
    const lines = headerLines(delivery)
    const text = lines.map(([name, value]) =>
      name === 'content-type' ? [name, 'text/plain'] : [name, value],
    )
    const connection = new RawConnection(url)
    const refused = Buffer.from(rawRequest(url, 'POST', text as [string, string][]))
    connection.write(Buffer.concat([refused, delivery.body]))
    await connection.until((answer) => answer.includes('unsupported_media_type'))
    connection.write(Buffer.concat([Buffer.from(rawRequest(url, 'POST', lines)), delivery.body]))
    await connection.until((answer) => answer.includes('processed'), 'the second answer')
    connection.destroy()
  })

  for (const [how, framing] of [
    ['declared', ['content-length', '5000']],
    ['chunked', ['transfer-encoding', 'chunked']],
  ] as const) {
    test(`a slow body (${how}) gets 408 when its time is up, and the connection closes`, async () => {
      const { url, results, storeCalls } = await rig(mount, { bodyTimeoutSeconds: 0.3 })
      const { headers } = await signed()
      const connection = new RawConnection(url)
      connection.write(rawRequest(url, 'POST', [...Object.entries(headers), framing]))
      const trickle = setInterval(() => connection.write(how === 'chunked' ? '1\r\n \r\n' : ' '), 20)
      try {
        const { status, json } = await connection.answer()
        expect([status, json?.code]).toEqual([408, 'body_timeout'])
        await eventually(() => connection.closed, 'the connection closes during the upload')
      } finally {
        clearInterval(trickle)
        connection.destroy()
      }
      expect([results.length, storeCalls()]).toEqual([1, 0])
    })
  }

  if (ownsConnection) {
    test('a delivery that is rejected before its body arrived gets Connection: close', async () => {
      const { url } = await rig(mount)
      const connection = new RawConnection(url)
      connection.write(
        rawRequest(url, 'POST', [
          ['content-type', 'text/plain'],
          ['content-length', '500000'],
        ]),
      )
      const { status, headers } = await connection.answer()
      expect([status, headers.connection]).toEqual([415, 'close'])
      connection.destroy()
    })
  }

  test('pipelined deliveries get their responses in order', async () => {
    const { url, ran } = await rig(mount)
    const [first, second] = [await signed(), await signed()]
    const connection = new RawConnection(url)
    for (const delivery of [first, second]) {
      connection.write(rawRequest(url, 'POST', headerLines(delivery)))
      connection.write(delivery.body)
    }
    await connection.until((text) => text.includes(second.id), 'the second answer')
    expect(connection.text.indexOf(first.id)).toBeLessThan(connection.text.indexOf(second.id))
    expect(ran).toHaveLength(2)
    connection.destroy()
  })
}
