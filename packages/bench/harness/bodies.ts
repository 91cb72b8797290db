import { createHmac } from 'node:crypto'

/** The secret that every benchmark signs with. */
export const secret = 'whsec_bench_4f1a2b3c4d5e6f708192a3b4c5d6e7f8'

/** Returns a camelCase event of about this size. Larger events have more entries, as real ones do. */
export function bodyOf(bytes: number, id = 'evt_bench0000000001'): Buffer {
  const event = {
    id,
    type: 'transfer.settled',
    createdAt: '2026-01-02T03:04:05Z',
    environment: 'production',
    data: {
      transferId: 'tr_1',
      status: 'settled',
      rail: 'mobile_money',
      ledgerState: 'matched',
      entries: [] as object[],
    },
  }
  const entry = (n: number) => ({
    account: `acc_${n}`,
    amount: '1250.00',
    currency: 'EUR',
    note: 'settled in full',
  })
  let rest = bytes - JSON.stringify(event).length
  for (let n = 0; rest > 0; n++) {
    const text = JSON.stringify(entry(n))
    if (text.length + 1 > rest) {
      break
    }
    event.data.entries.push(entry(n))
    rest -= text.length + 1
  }
  if (rest > 0) {
    event.data.transferId += 'x'.repeat(rest)
  }
  return Buffer.from(JSON.stringify(event))
}

/** Returns the Service-Signature header of a body. It does not use the library under test. */
export function headerOf(body: Uint8Array, timestamp = Math.floor(Date.now() / 1000)): string {
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  return `t=${timestamp},v1=${digest}`
}
