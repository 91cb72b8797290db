import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEvent, verifySignature } from '../../src/index.js'
import { deliveryOf, fixture, knownTypes, testSecret } from '../../src/testing/index.js'

const representations = ['camelCase', 'snake_case'] as const
const everyForm = knownTypes.flatMap((type) => representations.map((form) => [type, form] as const))

const json = (delivery: { body: Buffer }) => JSON.parse(delivery.body.toString())

describe('a fixture', () => {
  it.each(everyForm)('of %s in %s is signed, readable and complete', async (type, representation) => {
    const { event, body, headers } = await fixture(type, { representation })
    await verifySignature({ body, header: headers['service-signature'], secret: testSecret })
    expect(headers).toEqual({
      'content-type': 'application/json',
      'service-event-id': event.id,
      'service-signature': expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
    })
    expect(parseEvent(body)).toEqual(event)
    expect(event).toMatchObject({ type, representation, id: expect.stringMatching(/^evt_[0-9a-f]{32}$/) })
  })

  it('writes the camelCase envelope unless told otherwise', async () => {
    const delivery = await fixture('transfer.settled')
    expect(Object.keys(json(delivery))).toEqual(['id', 'type', 'environment', 'createdAt', 'data'])
    expect(json(delivery).data).toHaveProperty('transferId')
  })

  it('writes the snake_case envelope down to the data', async () => {
    const delivery = await fixture('transfer.settled', { representation: 'snake_case' })
    expect(Object.keys(json(delivery))).toEqual(['id', 'type', 'product', 'created_at', 'data'])
    expect(Object.keys(json(delivery).data)).toEqual(['transfer_id', 'status', 'rail', 'ledger_state'])
    expect(delivery.event.data).toMatchObject({ transferId: expect.any(String), ledgerState: 'matched' })
  })

  it('is another event each time', async () => {
    const ids = await Promise.all(
      Array.from({ length: 100 }, async () => (await fixture('transfer.settled')).event.id),
    )
    expect(new Set(ids).size).toBe(100)
  })

  it('is the same bytes and signature for the same id and clock', async () => {
    const options = { id: 'evt_1', now: 1_700_000_000, data: { rail: 'card' } }
    const [first, second] = [
      await fixture('transfer.settled', options),
      await fixture('transfer.settled', options),
    ]
    expect(second).toEqual(first)
    expect(first.body.toString()).toBe(
      '{"id":"evt_1","type":"transfer.settled","environment":"sandbox","createdAt":"2023-11-14T22:13:20.000Z",' +
        '"data":{"transferId":"tr_1","status":"settled","rail":"card","ledgerState":"matched"}}',
    )
  })

  it('takes environment, product and createdAt', async () => {
    const createdAt = new Date('2024-02-29T12:00:00Z')
    const camel = await fixture('x', { environment: 'production', createdAt })
    expect(camel.event).toMatchObject({ environment: 'production', createdAt: '2024-02-29T12:00:00.000Z' })
    const snake = await fixture('x', { representation: 'snake_case', product: 'stablecoins' })
    expect(snake.event).toMatchObject({ product: 'stablecoins' })
    expect(snake.event).not.toHaveProperty('environment')
  })

  it('leaves a field out that is set to undefined', async () => {
    const { event } = await fixture('transfer.settled', { data: { rail: undefined } })
    expect(event.data).not.toHaveProperty('rail')
  })

  it('of an unknown type has the data it was given', async () => {
    expect((await fixture('constructor', { data: { exportId: 'x' } })).event.data).toEqual({ exportId: 'x' })
    expect((await fixture('evidence.exported')).event.data).toEqual({})
  })

  it('rejects options that make an invalid event', async () => {
    const rejected = fixture('transfer.settled', { id: 'not an event id' })
    await expect(rejected).rejects.toMatchObject({ code: 'invalid_envelope' })
    await expect(rejected).rejects.toThrow('(id must be evt_ and 1 to 128 letters, digits, _ or -)')
    await expect(fixture('')).rejects.toThrow(/\(type .*\); fix: correct the argument/)
  })

  it('carries one signature for each secret', async () => {
    const { body, headers } = await fixture('transfer.settled', { secret: ['new', 'old'] })
    const header = headers['service-signature']
    expect(await verifySignature({ body, header, secret: ['other', 'old'] })).toMatchObject({
      secretIndex: 1,
    })
    expect(await verifySignature({ body, header, secret: 'new' })).toMatchObject({ secretIndex: 0 })
  })

  it('is signed in the scheme it is given, the event id included', async () => {
    const scheme = {
      content: 'id.timestamp.body',
      encoding: 'base64',
      key: 'base64',
      keyPrefix: 'whsec_',
    } as const
    const secret = 'whsec_c2VjcmV0IGJ5dGVz'
    const { body, headers, event } = await fixture('transfer.settled', { scheme, secret })
    const header = headers['service-signature']
    await expect(verifySignature({ body, header, secret, scheme, id: event.id })).resolves.toBeTruthy()
    await expect(verifySignature({ body, header, secret, scheme, id: 'evt_other' })).rejects.toMatchObject({
      code: 'signature_mismatch',
    })
  })

  it.each([
    [300, 'passes'],
    [-300, 'passes'],
    [301, 'timestamp_out_of_tolerance'],
    [-301, 'timestamp_out_of_tolerance'],
  ])('signed %s s ago %s', async (ageSeconds, verdict) => {
    const now = () => 1_700_000_000.9
    const { body, headers } = await fixture('transfer.settled', { now, ageSeconds })
    const verified = verifySignature({
      body,
      header: headers['service-signature'],
      secret: testSecret,
      now: 1_700_000_000,
    })
    expect(headers['service-signature']).toMatch(`t=${1_700_000_000 - ageSeconds},`)
    if (verdict === 'passes') {
      await expect(verified).resolves.toBeTruthy()
    } else {
      await expect(verified).rejects.toMatchObject({ code: verdict })
    }
  })
})

describe('data in snake_case', () => {
  const camelKey = fc.stringMatching(/^[a-z][a-z0-9]{0,3}([A-Z][a-z0-9]{0,3}){0,3}$/)
  const oddKey = fc.constantFrom(
    'M_PESA',
    '_private',
    'a__b',
    'ÉclairId',
    '',
    '0',
    'URL',
    'aB_c',
    'constructor',
  )
  const freeFormKey = fc.constantFrom('snake_key', 'camelKey', 'Mixed_Key')
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
  const { data } = fc.letrec((tie) => ({
    data: fc
      .tuple(
        fc.dictionary(
          fc.oneof(camelKey, oddKey),
          fc.oneof({ depthSize: 'small' }, leaf, tie('data'), fc.array(leaf)),
        ),
        fc.option(fc.dictionary(freeFormKey, leaf), { nil: undefined }),
      )
      .map(([fields, metadata]) => (metadata ? { ...fields, metadata } : fields)),
  }))

  it('comes back from the receiver as it was given', async () => {
    await fc.assert(
      fc.asyncProperty(data, async (given) => {
        const plain = JSON.parse(JSON.stringify(given))
        const { event } = await fixture('own.type', { representation: 'snake_case', data: plain as object })
        expect(event.data).toEqual(plain)
      }),
      { numRuns: 500 },
    )
  })
})

describe('deliveryOf', () => {
  it('signs bytes that are not an event', async () => {
    const bytes = Uint8Array.of(0xff, 0xfe, 0x00, 0x80)
    const { body, headers } = await deliveryOf(bytes)
    expect(new Uint8Array(body)).toEqual(bytes)
    expect(headers).not.toHaveProperty('service-event-id')
    await expect(
      verifySignature({ body, header: headers['service-signature'], secret: testSecret }),
    ).resolves.toBeTruthy()
  })
})
