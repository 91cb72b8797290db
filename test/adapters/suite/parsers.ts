import { expect } from 'vitest'
import type { Case } from './cases.js'
import { deliver, request } from './http.js'
import { type Mount, rig } from './rig.js'
import { signed, signedBody } from './signed.js'

export interface ParserMounts {
  /** A mount where the JSON parser of the framework runs before the receiver. */
  readonly afterParser?: Mount
  /** A mount where a parser before the receiver keeps the exact bytes. */
  readonly afterRawParser?: Mount
  /** A mount where POST `/sibling` also answers, with the JSON body that the framework parsed. */
  readonly withSibling?: Mount
}

/** Tests a receiver together with the body parsers of a framework. */
export function parserCases(test: Case, { afterParser, afterRawParser, withSibling }: ParserMounts): void {
  if (afterParser) {
    test('behind a body parser the response is 500 immediately, and the log has the cause and the fix', async () => {
      const { url, ran, results, log, storeCalls } = await rig(afterParser)
      const answer = await deliver(url, await signed())
      expect(answer.status).toBe(500)
      expect(answer.text).toBe('{"outcome":"failed","code":"body_already_read"}')
      expect(results).toMatchObject([{ outcome: 'failed', code: 'body_already_read' }])
      expect(log.join('\n')).toMatch(
        /likely cause: a body parser .* fix: mount the receiver before the parser/,
      )
      expect([ran.length, storeCalls()]).toEqual([0, 0])
    })

    test('behind a body parser a chunked or unsigned body does not hang', async () => {
      const { url, ran } = await rig(afterParser)
      const delivery = await signed()
      const chunked = await deliver(url, delivery, { chunks: [delivery.body] })
      expect([chunked.status, chunked.json?.code]).toEqual([500, 'body_already_read'])
      const unsigned = await deliver(url, delivery, { headers: { 'service-signature': undefined } })
      expect([unsigned.status, unsigned.json?.code]).toEqual([401, 'missing_signature'])
      expect(ran).toHaveLength(0)
    })

    test('a body that an earlier parser skipped is read', async () => {
      const { url, ran } = await rig(afterParser)
      const headers = { 'content-type': 'application/vnd.service+json' }
      const answer = await deliver(url, await signed(), { headers })
      expect([answer.status, ran.length]).toEqual([200, 1])
    })
  }

  if (afterRawParser) {
    test('behind a parser that keeps the raw bytes a delivery is processed', async () => {
      const { url, ran } = await rig(afterRawParser)
      const delivery = await signed({ type: 'note.added', data: { text: '☕' } })
      expect((await deliver(url, delivery)).status).toBe(200)
      expect(Buffer.from(ran[0]?.raw ?? '')).toEqual(delivery.body)
    })

    test('behind a parser that keeps the raw bytes they are still verified and limited', async () => {
      const { url, ran } = await rig(afterRawParser, { maxBodyBytes: 1000 })
      const delivery = await signed()
      const tampered = await deliver(url, {
        ...delivery,
        body: Buffer.concat([delivery.body, Buffer.of(32)]),
      })
      expect([tampered.status, tampered.json?.code]).toEqual([401, 'signature_mismatch'])
      const large = await signedBody(Buffer.alloc(2000, 0x20))
      expect((await deliver(url, large, { chunks: [large.body] })).status).toBe(413)
      expect(ran).toHaveLength(0)
    })
  }

  if (withSibling) {
    test('a sibling route keeps its own parsers', async () => {
      const { url, ran } = await rig(withSibling)
      const sibling = new URL('/sibling', url).href
      const headers = { 'content-type': 'application/json' }
      const ask = () => request(sibling, { headers, body: '{"a":[1]}' })
      expect((await ask()).text).toBe('{"a":[1]}')
      expect((await deliver(url, await signed())).status).toBe(200)
      expect((await ask()).text).toBe('{"a":[1]}')
      expect((await request(sibling, { headers, body: '{"a":' })).status).toBe(400)
      expect(ran).toHaveLength(1)
    })
  }
}
