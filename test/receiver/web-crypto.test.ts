/** The core on WebCrypto, where keys and digests are promises. */
import { describe, expect, it, vi } from 'vitest'
import { importKey } from '#crypto'
import { createReceiver } from '../../src/receiver.js'
import { signPayload } from '../../src/signature/sign.js'
import { type VerifyInput, verifySignature } from '../../src/signature/verify-signature.js'
import { memoryStore } from '../../src/stores/memory.js'
import { delivery } from './deliver.js'

vi.mock('#crypto', () => import('../../src/signature/crypto/web.js'))

const now = 1_700_000_000
const secret = 'whsec_test_secret'
const body = new TextEncoder().encode('{"id":"evt_123","type":"transfer.settled"}')
const header = `t=${now},v1=a2a06a28d8d674d752c96b698c8d44de83cfa2353cea7f336f62d729b94d3191`
const verify = (input: Partial<VerifyInput>) => verifySignature({ body, header, secret, now, ...input })

describe('on WebCrypto', () => {
  it('the tests use WebCrypto', () => {
    expect(importKey(new Uint8Array(3))).toBeInstanceOf(Promise)
  })

  it('the published vector is signed and verified', async () => {
    expect(await signPayload({ body, secret, timestamp: now })).toBe(header)
    expect(await verify({})).toEqual({ timestamp: now, secretIndex: 0 })
    expect(await verify({ secret: ['whsec_new', secret] })).toEqual({ timestamp: now, secretIndex: 1 })
  })

  it.each<[string, Partial<VerifyInput>, string]>([
    ['another body', { body: new Uint8Array(2) }, 'signature_mismatch'],
    ['another secret', { secret: 'whsec_other' }, 'signature_mismatch'],
    ['a short signature', { header: header.slice(0, -2) }, 'signature_mismatch'],
    ['no header', { header: undefined }, 'missing_signature'],
    ['a stale one', { now: now + 301 }, 'timestamp_out_of_tolerance'],
    ['no secret', { secret: '' }, 'invalid_secret'],
  ])('%s is rejected', async (_, input, code) => {
    await expect(verify(input)).rejects.toMatchObject({ code })
  })

  it('a receiver runs an event once, and no forged event', async () => {
    const handler = vi.fn()
    for (const given of [secret, async () => [secret]]) {
      const options = {
        secret: given,
        now: () => now,
        logger: false,
        store: memoryStore(),
        fallback: handler,
      } as const
      const receiver = createReceiver(options)
      expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
      expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'duplicate' })
      const forged = await delivery(undefined, { secret: 'whsec_other' })
      expect(await receiver.receive(forged)).toMatchObject({ code: 'signature_mismatch' })
    }
    expect(handler).toHaveBeenCalledTimes(2)
  })
})
