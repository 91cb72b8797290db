import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { signPayload } from '../../src/signature/sign.js'
import { verifySignature } from '../../src/signature/verify-signature.js'
import { body, codeOf, timestamp } from './scheme-reference.js'

describe('the boundary between id, timestamp and body', () => {
  const scheme = { content: 'id.timestamp.body' } as const
  const secret = 'x'
  const hmac = (content: string) => createHmac('sha256', secret).update(content).digest('hex')
  const check = (id: string | undefined, t: string, text: string, signature: string) =>
    codeOf(
      verifySignature({
        body: text,
        header: `t=${t},v1=${signature}`,
        secret,
        scheme,
        now: Number(t),
        ...(id !== undefined && { id }),
      }),
    )

  it('is unambiguous: an id with a dot is rejected, because the bytes could be split differently', async () => {
    const signature = hmac('a.1.2.body')
    expect(await check('a', '1', '2.body', signature)).toBe('accepted')
    expect(await check('a.1', '2', 'body', signature)).toBe('malformed_signature')
  })

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['a dot', '.'],
    ['a space', 'a b'],
    ['a control', 'a\n'],
    ['DEL', 'a\x7f'],
    ['beyond ASCII', 'é'],
  ])('rejects an id that is %s', async (_, id) => {
    expect(await check(id, '1', 'body', hmac(`${id}.1.body`))).toBe('malformed_signature')
    const sign = signPayload({ body, secret, scheme, timestamp, ...(id !== undefined && { id }) })
    expect(await codeOf(sign)).toBe('invalid_option')
  })

  it.each(['evt_1', '!', '~', '-', '/', 'a,b', 'x'.repeat(300)])('takes the id %j', async (id) => {
    expect(await check(id, '1', 'body', hmac(`${id}.1.body`))).toBe('accepted')
  })

  it('needs no check of t, which has only digits', async () => {
    const signature = createHmac('sha256', secret).update('1.2.body').digest('hex')
    const input = { secret, now: 1 }
    expect(await codeOf(verifySignature({ ...input, body: '2.body', header: `t=1,v1=${signature}` }))).toBe(
      'accepted',
    )
    expect(await codeOf(verifySignature({ ...input, body: 'body', header: `t=1.2,v1=${signature}` }))).toBe(
      'malformed_signature',
    )
  })

  it('ignores the id if the scheme does not sign it', async () => {
    const header = await signPayload({ body, secret, timestamp, id: 'a' })
    expect(await codeOf(verifySignature({ body, header, secret, now: timestamp, id: 'b' }))).toBe('accepted')
  })
})
