import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import * as receiver from 'webhook-inbox'
import { signPayload, VerificationError, verifySignature } from '../src/index.js'
import { failureOf } from './setup/service.js'

describe('webhook signing', () => {
  const secret = 'whsec_a_secret_of_a_test'
  const body = new TextEncoder().encode('{"id":"evt_1"}')

  test('signs and verifies as the receiver does, with the same functions', async () => {
    expect(signPayload).toBe(receiver.signPayload)
    expect(verifySignature).toBe(receiver.verifySignature)
    const header = await signPayload({ body, secret, timestamp: 1_700_000_000 })
    const hmac = createHmac('sha256', secret).update('1700000000.').update(body).digest('hex')
    expect(header).toBe(`t=1700000000,v1=${hmac}`)
    expect(await verifySignature({ body, header, secret, now: () => 1_700_000_000 })).toMatchObject({
      timestamp: 1_700_000_000,
    })
  })

  test('rejects other bytes with the error of the receiver', async () => {
    const header = await signPayload({ body, secret })
    const failure = await failureOf(verifySignature({ body: new Uint8Array(3), header, secret }))
    expect(failure).toBeInstanceOf(VerificationError)
  })
})
