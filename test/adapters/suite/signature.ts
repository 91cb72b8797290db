import { expect } from 'vitest'
import type { Case } from './cases.js'
import { deliver, RawConnection, rawRequest } from './http.js'
import { type Mount, rig } from './rig.js'
import { headerLines, nowSeconds, signed } from './signed.js'

const hex = 'a'.repeat(64)

const malformed: readonly (readonly [string, string])[] = [
  ['no tags at all', 'nonsense'],
  ['no timestamp', `v1=${hex}`],
  ['no signature', `t=${nowSeconds()}`],
  ['an unknown version only', `t=${nowSeconds()},v0=${hex}`],
  ['an empty signature', `t=${nowSeconds()},v1=`],
  ['two timestamps', `t=1,t=2,v1=${hex}`],
  ['a timestamp in words', `t=now,v1=${hex}`],
  ['a negative timestamp', `t=-1,v1=${hex}`],
  ['a fractional timestamp', `t=1.5,v1=${hex}`],
  ['a timestamp in milliseconds', `t=1700000000000,v1=${hex}`],
  ['an element that is no pair', `t=1,,v1=${hex}`],
  ['seventeen signatures', `t=1${`,v1=${hex}`.repeat(17)}`],
  ['more than 4 KiB', `t=1,v1=${hex},x=${'y'.repeat(4096)}`],
]

/** Tests that a delivery without a valid signature is rejected and calls no store. */
export function signatureCases(test: Case, mount: Mount): void {
  test('an unsigned delivery is rejected and calls no store', async () => {
    const { url, ran, storeCalls } = await rig(mount)
    const answer = await deliver(url, await signed(), { headers: { 'service-signature': undefined } })
    expect(answer.status).toBe(401)
    expect(answer.text).toBe('{"outcome":"rejected","code":"missing_signature"}')
    expect([ran.length, storeCalls()]).toEqual([0, 0])
  })

  test('every malformed signature header is rejected and calls no store', async () => {
    const { url, ran, storeCalls } = await rig(mount)
    const delivery = await signed()
    for (const [what, value] of malformed) {
      const answer = await deliver(url, delivery, { headers: { 'service-signature': value } })
      expect([what, answer.status, answer.json?.code]).toEqual([what, 401, 'malformed_signature'])
    }
    expect([ran.length, storeCalls()]).toEqual([0, 0])
  })

  test('a tampered body is rejected and calls no store', async () => {
    const { url, ran, storeCalls } = await rig(mount)
    const delivery = await signed()
    for (const at of [0, Math.floor(delivery.body.length / 2), delivery.body.length - 1]) {
      const body = Buffer.from(delivery.body)
      body[at] = (body[at] as number) ^ 1
      const answer = await deliver(url, { ...delivery, body })
      expect([answer.status, answer.json?.code]).toEqual([401, 'signature_mismatch'])
    }
    const longer = await deliver(url, { ...delivery, body: Buffer.concat([delivery.body, Buffer.of(32)]) })
    expect([longer.status, longer.json?.code]).toEqual([401, 'signature_mismatch'])
    expect([ran.length, storeCalls()]).toEqual([0, 0])
  })

  test('a tampered signature is rejected and calls no store', async () => {
    const { url, ran, storeCalls } = await rig(mount)
    const delivery = await signed()
    const good = delivery.headers['service-signature'] as string
    const last = good.at(-1) === '0' ? '1' : '0'
    const earlier = good.replace(/\d+/, (signedAt) => `${Number(signedAt) - 1}`)
    for (const value of [good.slice(0, -1) + last, good.slice(0, -2), earlier]) {
      const answer = await deliver(url, delivery, { headers: { 'service-signature': value } })
      expect([value, answer.status, answer.json?.code]).toEqual([value, 401, 'signature_mismatch'])
    }
    expect([ran.length, storeCalls()]).toEqual([0, 0])
  })

  for (const [age, isFresh] of [
    [301, false],
    [300, true],
    [0, true],
    [-300, true],
    [-301, false],
  ] as const) {
    const side = age < 0 ? 'ahead of' : 'behind'
    test(`a timestamp ${Math.abs(age)} s ${side} the clock is ${isFresh ? 'accepted' : 'refused'}`, async () => {
      const now = nowSeconds()
      const { url, ran, storeCalls } = await rig(mount, { now: () => now })
      const answer = await deliver(url, await signed({}, now - age))
      expect([answer.status, answer.json?.code]).toEqual(
        isFresh ? [200, undefined] : [401, 'timestamp_out_of_tolerance'],
      )
      expect([ran.length, storeCalls()]).toEqual(isFresh ? [1, 1] : [0, 0])
    })
  }

  test('a stale forgery gets signature_mismatch, not timestamp_out_of_tolerance', async () => {
    const { url } = await rig(mount)
    const value = `t=${nowSeconds() - 10_000},v1=${hex}`
    const answer = await deliver(url, await signed(), { headers: { 'service-signature': value } })
    expect(answer.json?.code).toBe('signature_mismatch')
  })

  test('a repeated signature header is rejected, even if both are valid', async () => {
    const { url, ran, storeCalls } = await rig(mount)
    const delivery = await signed()
    const good = delivery.headers['service-signature'] as string
    for (const extra of [good, `v1=${hex}`, `t=${nowSeconds()}`]) {
      const connection = new RawConnection(url)
      connection.write(rawRequest(url, 'POST', [...headerLines(delivery), ['service-signature', extra]]))
      connection.write(delivery.body)
      const answer = await connection.answer()
      expect([extra, answer.status, answer.json?.code]).toEqual([extra, 401, 'malformed_signature'])
      connection.destroy()
    }
    expect([ran.length, storeCalls()]).toEqual([0, 0])
  })

  test('a repeated event id header is rejected', async () => {
    const { url, ran, storeCalls } = await rig(mount)
    const delivery = await signed()
    const connection = new RawConnection(url)
    connection.write(rawRequest(url, 'POST', [...headerLines(delivery), ['Service-Event-Id', delivery.id]]))
    connection.write(delivery.body)
    const answer = await connection.answer()
    expect([answer.status, answer.json?.code]).toEqual([400, 'event_id_mismatch'])
    expect([ran.length, storeCalls()]).toEqual([0, 0])
    connection.destroy()
  })

  test('an event id header that differs from the signed id is rejected and calls no store', async () => {
    const { url, ran, storeCalls } = await rig(mount)
    const answer = await deliver(url, await signed(), { headers: { 'service-event-id': 'evt_other' } })
    expect([answer.status, answer.json?.code]).toEqual([400, 'event_id_mismatch'])
    expect([ran.length, storeCalls()]).toEqual([0, 0])
  })

  test('a delivery without the event id header is accepted', async () => {
    const { url, ran } = await rig(mount)
    const answer = await deliver(url, await signed(), { headers: { 'service-event-id': undefined } })
    expect([answer.status, ran.length]).toEqual([200, 1])
  })

  test('a delivery without the event id header is rejected if the option requires it', async () => {
    const { url, ran } = await rig(mount, { requireEventIdHeader: true })
    const answer = await deliver(url, await signed(), { headers: { 'service-event-id': undefined } })
    expect([answer.status, answer.json?.code, ran.length]).toEqual([400, 'event_id_missing', 0])
    expect((await deliver(url, await signed())).status).toBe(200)
  })

  test('header names in any case are found', async () => {
    const { url, ran } = await rig(mount)
    const delivery = await signed()
    const connection = new RawConnection(url)
    const lines = headerLines(delivery).map(([name, value]) => [name.toUpperCase(), value] as const)
    connection.write(rawRequest(url, 'POST', lines))
    connection.write(delivery.body)
    expect((await connection.answer()).status).toBe(200)
    expect(ran).toHaveLength(1)
    connection.destroy()
  })
}
