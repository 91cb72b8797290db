import { describe, expect, it } from 'vitest'
import { createReceiver, memoryStore } from '../../src/index.js'
import { deliveryOf, fixture, tamper, testSecret, testSender } from '../../src/testing/index.js'

const receiver = createReceiver({
  secret: testSecret,
  store: memoryStore(),
  fallback: () => {},
  logger: false,
})
const { deliver } = testSender({ receiver })

/** How many bits two bodies of one length differ in. */
function bitsApart(a: Uint8Array, b: Uint8Array): number {
  expect(a.length).toBe(b.length)
  return a.reduce((sum, byte, index) => {
    let differing = byte ^ (b[index] as number)
    let bits = 0
    for (; differing; differing >>= 1) {
      bits += differing & 1
    }
    return sum + bits
  }, 0)
}

describe('tamper.body', () => {
  it('flips one bit, and the receiver sees it at every offset', async () => {
    const original = await fixture('transfer.settled')
    const before = Buffer.from(original.body)
    for (let offset = 0; offset < original.body.length; offset++) {
      const delivery = tamper.body(original, offset)
      expect(bitsApart(delivery.body, original.body)).toBe(1)
      expect(await deliver(delivery)).toMatchObject({ status: 401, code: 'signature_mismatch' })
    }
    expect(original.body).toEqual(before)
    expect(await deliver(original)).toMatchObject({ status: 200, outcome: 'processed' })
  })

  it('counts a negative offset from the end, and rejects one beyond it', async () => {
    const original = await fixture('transfer.settled')
    expect(tamper.body(original, -1).body.at(-1)).toBe((original.body.at(-1) as number) ^ 1)
    expect(() => tamper.body(original, original.body.length)).toThrow('invalid_option: offset must be')
    expect(() => tamper.body({ body: Buffer.alloc(0), headers: {} })).toThrow(
      'invalid_option: offset must be',
    )
  })
})

describe('tamper.signature', () => {
  it('leaves every signature well-formed and none right', async () => {
    const original = await fixture('transfer.settled', { secret: [testSecret, 'another'] })
    const delivery = tamper.signature(original)
    expect(delivery.headers['service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
    expect(await deliver(delivery)).toMatchObject({ code: 'signature_mismatch' })
    expect(await deliver(original)).toMatchObject({ outcome: 'processed' })
  })

  it('does so in base64, too', async () => {
    const scheme = { encoding: 'base64' } as const
    const target = createReceiver({
      secret: testSecret,
      store: memoryStore(),
      scheme,
      fallback: () => {},
      logger: false,
    })
    const sender = testSender({ receiver: target, scheme })
    const original = await sender.prepare('transfer.settled')
    expect(await sender.deliver(tamper.signature(original))).toMatchObject({ code: 'signature_mismatch' })
    expect(await sender.deliver(original)).toMatchObject({ outcome: 'processed' })
  })
})

describe('tamper.timestamp', () => {
  it.each([1, -1, 400])('moves t by %s s without signing it', async (seconds) => {
    const original = await fixture('transfer.settled', { now: 1_700_000_000 })
    const delivery = tamper.timestamp(original, seconds)
    expect(delivery.headers['service-signature']).toMatch(`t=${1_700_000_000 + seconds},`)
    expect(await deliver(delivery)).toMatchObject({ code: 'signature_mismatch' })
  })
})

describe('tamper.reserialize', () => {
  it.each(['{"a":1}', '{\n  "a": 1\n}'])('writes %j in other bytes that mean the same', async (text) => {
    const original = await deliveryOf(text)
    const delivery = tamper.reserialize(original)
    expect(delivery.body.equals(original.body)).toBe(false)
    expect(JSON.parse(delivery.body.toString())).toEqual(JSON.parse(text))
  })

  it('is rejected by the receiver', async () => {
    const original = await fixture('transfer.settled')
    expect(await deliver(tamper.reserialize(original))).toMatchObject({ code: 'signature_mismatch' })
  })
})

describe('tamper of headers', () => {
  it('drops one by any case of its name', async () => {
    const original = await fixture('transfer.settled')
    expect(await deliver(tamper.dropHeader(original, 'Service-Signature'))).toMatchObject({
      code: 'missing_signature',
    })
    expect(original.headers).toHaveProperty('service-signature')
    expect(await deliver(tamper.dropHeader(original, 'service-event-id'))).toMatchObject({
      outcome: 'processed',
    })
  })

  it('sets one', async () => {
    const delivery = tamper.setHeader(await fixture('transfer.settled'), 'Service-Event-Id', 'evt_other')
    expect(await deliver(delivery)).toMatchObject({ status: 400, code: 'event_id_mismatch' })
  })
})
