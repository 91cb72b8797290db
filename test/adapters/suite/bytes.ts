import { expect } from 'vitest'
import type { Case } from './cases.js'
import { deliver } from './http.js'
import { type Mount, rig } from './rig.js'
import { freshId, signed, signedBody, signedSnakeCase } from './signed.js'

const oneByOne = (body: Buffer) => Array.from(body, (byte) => Buffer.of(byte))

/** Tests that the receiver gets the exact bytes, for any bytes and any way they arrive. */
export function bytesCases(test: Case, mount: Mount): void {
  test('a valid delivery in the camelCase envelope is processed', async () => {
    const { url, ran } = await rig(mount)
    const delivery = await signed()
    const answer = await deliver(url, delivery)
    expect(answer.status).toBe(200)
    expect(answer.text).toBe(JSON.stringify({ outcome: 'processed', eventId: delivery.id }))
    expect(answer.headers['content-type']).toMatch(/^application\/json(; charset=utf-8)?$/)
    expect(ran).toHaveLength(1)
    expect(ran[0]).toMatchObject({ id: delivery.id, representation: 'camelCase' })
    expect(Buffer.from(ran[0]?.raw ?? '')).toEqual(delivery.body)
  })

  test('a valid delivery in the snake_case envelope is processed', async () => {
    const { url, ran } = await rig(mount)
    const answer = await deliver(url, await signedSnakeCase())
    expect(answer.status).toBe(200)
    expect(ran[0]).toMatchObject({ representation: 'snake_case', data: { transferId: 'tr_1' } })
  })

  for (const [what, text] of [
    ['unicode beyond the basic plane', 'naïve ☕ 𝒳 日本語 🇰🇪'],
    ['line ends and tabs as escapes', '\r\n\t\u2028\u2029'],
    ['NUL and other control characters as escapes', '\u0000\u0001\u001f\u007f'],
    ['a byte order mark inside a string', '\ufeffx\ufeff'],
  ] as const) {
    test(`${what} arrives unchanged`, async () => {
      const { url, ran } = await rig(mount)
      const delivery = await signed({ type: 'note.added', data: { text } })
      expect((await deliver(url, delivery)).status).toBe(200)
      expect(ran[0]?.data).toEqual({ text })
      expect(Buffer.from(ran[0]?.raw ?? '')).toEqual(delivery.body)
    })
  }

  test('white space and CRLF around the JSON are part of the signed bytes', async () => {
    const { url, ran } = await rig(mount)
    const { body, id } = await signed()
    const padded = Buffer.concat([Buffer.from('\r\n \t'), body, Buffer.from('\r\n\r\n')])
    expect((await deliver(url, await signedBody(padded, id))).status).toBe(200)
    expect(Buffer.from(ran[0]?.raw ?? '')).toEqual(padded)
  })

  test('a signed byte order mark before the JSON is kept', async () => {
    const { url, ran } = await rig(mount)
    const { body, id } = await signed()
    const answer = await deliver(
      url,
      await signedBody(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]), id),
    )
    expect([answer.status, answer.json?.code]).toEqual([400, 'invalid_json'])
    expect(ran).toHaveLength(0)
  })

  test('invalid UTF-8 with a valid signature is invalid_encoding', async () => {
    const { url, ran } = await rig(mount)
    const { body, id } = await signed({ data: { note: 'X' } })
    body[body.indexOf('"X"') + 1] = 0xff
    const answer = await deliver(url, await signedBody(body, id))
    expect([answer.status, answer.json?.code]).toEqual([400, 'invalid_encoding'])
    expect(ran).toHaveLength(0)
  })

  test('every byte value reaches the signature check unchanged', async () => {
    const { url } = await rig(mount)
    const everyByte = Buffer.from(Array.from({ length: 1024 }, (_, i) => i % 256))
    const answer = await deliver(url, await signedBody(everyByte))
    expect([answer.status, answer.json?.code]).toEqual([400, 'invalid_encoding'])
  })

  test('a body that a proxy parsed and serialized again is rejected', async () => {
    const { url, ran } = await rig(mount)
    const id = freshId()
    const body = `{ "id": "${id}", "type": "x.y", "createdAt": "2026-11-20T10:00:00Z", "data": {"n": 1.0} }`
    const delivery = await signedBody(body, id)
    const again = Buffer.from(JSON.stringify(JSON.parse(body)))
    const answer = await deliver(url, { ...delivery, body: again })
    expect([answer.status, answer.json?.code]).toEqual([401, 'signature_mismatch'])
    expect(ran).toHaveLength(0)
    expect((await deliver(url, delivery)).status).toBe(200)
  })

  test('a chunked body is read completely', async () => {
    const { url, ran } = await rig(mount)
    const delivery = await signed()
    const chunks = [delivery.body.subarray(0, 7), delivery.body.subarray(7, 100), delivery.body.subarray(100)]
    expect((await deliver(url, delivery, { chunks })).status).toBe(200)
    expect(Buffer.from(ran[0]?.raw ?? '')).toEqual(delivery.body)
  })

  test('a body that arrives one byte at a time is read completely', async () => {
    const { url, ran } = await rig(mount)
    const delivery = await signed({ type: 'note.added', data: { text: '☕𝒳' } })
    const headers = { 'content-length': delivery.body.length }
    expect((await deliver(url, delivery, { chunks: oneByOne(delivery.body), headers })).status).toBe(200)
    expect(ran).toHaveLength(1)
    expect((await deliver(url, await signed(), { chunks: oneByOne((await signed()).body) })).status).toBe(401)
  })

  test('an empty body is rejected, unsigned and signed', async () => {
    const { url, ran } = await rig(mount)
    const headers = { 'content-type': 'application/json' }
    const unsigned = await deliver(url, { id: '', body: Buffer.alloc(0), headers })
    expect([unsigned.status, unsigned.json?.code]).toEqual([401, 'missing_signature'])
    const answer = await deliver(url, await signedBody(''))
    expect([answer.status, answer.json?.code]).toEqual([400, 'invalid_json'])
    const chunked = await deliver(url, await signedBody(''), { chunks: [] })
    expect([chunked.status, chunked.json?.code]).toEqual([400, 'invalid_json'])
    expect(ran).toHaveLength(0)
  })

  test('a body of exactly maxBodyBytes is read completely', async () => {
    const delivery = await signed({ type: 'note.added', data: { text: 'a'.repeat(300_000) } })
    const { url, ran } = await rig(mount, { maxBodyBytes: delivery.body.length })
    expect((await deliver(url, delivery)).status).toBe(200)
    expect(ran).toHaveLength(1)
  })
}
