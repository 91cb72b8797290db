import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { SignatureScheme } from '../../src/signature/scheme.js'
import { verifySignature } from '../../src/signature/verify-signature.js'
import { body, codeOf, id, reference, timestamp, written } from './scheme-reference.js'

describe('a prefix of the key', () => {
  const standard = {
    key: 'base64',
    keyPrefix: 'whsec_',
    encoding: 'base64',
    content: 'id.timestamp.body',
  } as const
  const header = reference({ content: 'id.timestamp.body', encoding: 'base64', key: 'base64' })
  const check = (secret: string, scheme: SignatureScheme) =>
    codeOf(verifySignature({ body, header, secret, now: timestamp, scheme, id }))

  it('is removed before the secret is decoded, and may be missing', async () => {
    expect(await check(`whsec_${written.base64}`, standard)).toBe('accepted')
    expect(await check(written.base64, standard)).toBe('accepted')
  })

  it('is removed once', async () => {
    expect(await check(`whsec_whsec_${written.base64}`, standard)).toBe('invalid_secret')
  })

  it('is part of the key unless the scheme names it', async () => {
    const plain = { ...standard, key: 'utf8', keyPrefix: '' } as const
    const keyed = createHmac('sha256', 'whsec_a').update(`${id}.${timestamp}.`).update(body).digest('base64')
    const verify = (secret: string, scheme: SignatureScheme) =>
      codeOf(
        verifySignature({ body, header: `t=${timestamp},v1=${keyed}`, secret, now: timestamp, scheme, id }),
      )
    expect(await verify('whsec_a', plain)).toBe('accepted')
    expect(await verify('whsec_a', { ...plain, keyPrefix: 'whsec_' })).toBe('signature_mismatch')
    expect(await verify('whsec_whsec_a', { ...plain, keyPrefix: 'whsec_' })).toBe('accepted')
  })

  it('may not be the whole secret', async () => {
    expect(await check('whsec_', standard)).toBe('invalid_secret')
    expect(await check('whsec_', { ...standard, key: 'utf8' })).toBe('invalid_secret')
  })
})
