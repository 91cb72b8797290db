import { expect } from 'vitest'
import type { Case } from './cases.js'
import { deliver, RawConnection, rawRequest, request } from './http.js'
import { type Mount, rig } from './rig.js'
import { headerLines, signed } from './signed.js'

const megabyte = Buffer.alloc(1_048_576, 0x20)

/** Tests rejections by the head of a request, and uploads that are too large or never end. */
export function admissionCases(test: Case, mount: Mount): void {
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    test(`${method} is answered 405 with Allow: POST`, async () => {
      const { url, ran, storeCalls } = await rig(mount)
      const hasBody = method !== 'GET' && method !== 'HEAD'
      const delivery = await signed()
      const answer = await request(url, {
        method,
        headers: { ...delivery.headers, ...(hasBody && { 'content-length': delivery.body.length }) },
        body: hasBody ? delivery.body : undefined,
      })
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST'])
      const expected = { outcome: 'rejected', code: 'method_not_allowed' }
      expect(answer.text).toBe(method === 'HEAD' ? '' : JSON.stringify(expected))
      expect([ran.length, storeCalls()]).toEqual([0, 0])
    })
  }

  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="utf-8"',
    'application/cloudevents+json',
    'application/vnd.service.event.v1+json; profile=x',
  ]) {
    test(`the content type ${type} is accepted`, async () => {
      const { url, ran } = await rig(mount)
      const answer = await deliver(url, await signed(), { headers: { 'content-type': type } })
      expect([answer.status, ran.length]).toEqual([200, 1])
    })
  }

  for (const type of [
    undefined,
    '',
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/octet-stream',
    'nonsense',
    ';;;',
    'application/',
  ]) {
    test(`the content type ${JSON.stringify(type) ?? '(missing)'} is rejected`, async () => {
      const { url, ran, storeCalls } = await rig(mount)
      const answer = await deliver(url, await signed(), { headers: { 'content-type': type } })
      expect(answer.status).toBe(415)
      expect(answer.text).toBe('{"outcome":"rejected","code":"unsupported_media_type"}')
      expect([ran.length, storeCalls()]).toEqual([0, 0])
    })
  }

  for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'gzip, identity', 'x-anything']) {
    test(`the content encoding ${encoding} is rejected`, async () => {
      const { url, ran } = await rig(mount)
      const answer = await deliver(url, await signed(), { headers: { 'content-encoding': encoding } })
      expect(answer.status).toBe(415)
      expect(answer.text).toBe('{"outcome":"rejected","code":"unsupported_content_encoding"}')
      expect(ran).toHaveLength(0)
    })
  }

  test('the content encoding identity is accepted', async () => {
    const { url, ran } = await rig(mount)
    const answer = await deliver(url, await signed(), { headers: { 'content-encoding': 'identity' } })
    expect([answer.status, ran.length]).toEqual([200, 1])
  })

  test('a body that is declared too large is rejected', async () => {
    const { url, ran, storeCalls } = await rig(mount, { maxBodyBytes: 1000 })
    const answer = await deliver(url, await signed({ data: { text: 'a'.repeat(1000) } }))
    expect(answer.status).toBe(413)
    expect(answer.text).toBe('{"outcome":"rejected","code":"body_too_large"}')
    expect([ran.length, storeCalls()]).toEqual([0, 0])
  })

  test('a chunked body that grows too large is rejected', async () => {
    const { url, ran } = await rig(mount, { maxBodyBytes: 1000 })
    const delivery = await signed({ data: { text: 'a'.repeat(3000) } })
    const chunks = [delivery.body.subarray(0, 900), delivery.body.subarray(900)]
    const answer = await deliver(url, delivery, { chunks })
    expect([answer.status, answer.json?.code]).toEqual([413, 'body_too_large'])
    expect(ran).toHaveLength(0)
  })

  test('a sender that uploads megabytes too many can still read the response', async () => {
    const { url } = await rig(mount, { maxBodyBytes: 1000 })
    const delivery = await signed()
    const large = Buffer.concat([megabyte, megabyte, megabyte, megabyte])
    const declared = await deliver(url, { ...delivery, body: large })
    expect([declared.status, declared.json?.code]).toEqual([413, 'body_too_large'])
    const chunked = await deliver(url, delivery, { chunks: [megabyte, megabyte, megabyte, megabyte] })
    expect([chunked.status, chunked.json?.code]).toEqual([413, 'body_too_large'])
  })

  test('a sender that reads only after sending megabytes too many gets the response', async () => {
    const { url } = await rig(mount, { maxBodyBytes: 1000 })
    const { headers } = await signed()
    const large = Buffer.concat(Array(8).fill(megabyte))
    const connection = new RawConnection(url)
    connection.socket.pause()
    const lines = [...Object.entries(headers), ['content-length', String(large.length)] as const]
    connection.write(rawRequest(url, 'POST', lines))
    await new Promise((resolve) => connection.socket.write(large, resolve))
    connection.socket.resume()
    const answer = await connection.answer()
    expect([answer.status, answer.json?.code]).toEqual([413, 'body_too_large'])
    connection.destroy()
  })

  test('an endless upload gets a response and is cut off', async () => {
    const { url, ran } = await rig(mount, { maxBodyBytes: 1000 })
    const { headers } = await signed()
    const connection = new RawConnection(url)
    const lines = Object.entries(headers)
    connection.write(rawRequest(url, 'POST', [...lines, ['transfer-encoding', 'chunked']]))
    const upload = setInterval(() => connection.write(`800\r\n${'a'.repeat(0x800)}\r\n`), 10)
    try {
      const answer = await connection.answer()
      expect([answer.status, answer.json?.code]).toEqual([413, 'body_too_large'])
      await connection.untilClosed()
    } finally {
      clearInterval(upload)
      connection.destroy()
    }
    expect(ran).toHaveLength(0)
  })

  test('a rejected upload that stalls loses its connection', async () => {
    const { url } = await rig(mount)
    const connection = new RawConnection(url)
    connection.write(
      rawRequest(url, 'POST', [
        ['content-type', 'text/plain'],
        ['content-length', '500000'],
      ]),
    )
    connection.write('a'.repeat(1000))
    expect((await connection.answer()).status).toBe(415)
    await connection.untilClosed()
  })

  test('a sender that waits for 100 Continue gets it, and then the response', async () => {
    const { url, ran } = await rig(mount)
    const delivery = await signed()
    const connection = new RawConnection(url)
    connection.write(rawRequest(url, 'POST', [...headerLines(delivery), ['expect', '100-continue']]))
    await connection.until((text) => text.includes('100 Continue'), '100 Continue')
    connection.write(delivery.body)
    await connection.until((text) => text.includes('"processed"'))
    expect(connection.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
    expect(ran).toHaveLength(1)
    connection.destroy()
  })

  test('a sender that waits for 100 Continue gets the rejection', async () => {
    const { url, ran } = await rig(mount)
    const connection = new RawConnection(url)
    connection.write(
      rawRequest(url, 'POST', [
        ['content-type', 'text/plain'],
        ['content-length', '10'],
        ['expect', '100-continue'],
      ]),
    )
    await connection.until((text) => text.includes('unsupported_media_type'))
    expect(connection.text).toContain('HTTP/1.1 415 ')
    expect(ran).toHaveLength(0)
    connection.destroy()
  })
}
