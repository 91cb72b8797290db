import { createHmac } from 'node:crypto'

/** Signs as the interface describes it, with nothing of ours: what the diagnosis says is held against this. */
export function sign(
  body: Uint8Array | string,
  secret: string | Uint8Array,
  t: number | string,
  head = `${t}.`,
): string {
  return `t=${t},v1=${digest(body, secret, head).toString('hex')}`
}

export function digest(body: Uint8Array | string, secret: string | Uint8Array, head: string): Buffer {
  return createHmac('sha256', secret).update(head).update(body).digest()
}

export const now = 1_800_000_000
export const secret = { name: 'WEBHOOK_SECRET', secret: 'whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cw==' }
/** The key that a sender uses who decodes the secret. */
export const decodedKey = Buffer.from('c2VjcmV0IG9mIHRoZSB0ZXN0cw==', 'base64')

export const event = {
  id: 'evt_1',
  type: 'transfer.settled',
  environment: 'sandbox',
  createdAt: '2027-01-15T08:00:00Z',
  data: {
    transferId: 'tr_1',
    status: 'settled',
    rail: 'sim/settle',
    ledgerState: 'matched',
    amount: 10.5,
    owner: 'Zoë <z>',
  },
}
export const body = Buffer.from(JSON.stringify(event))

/** A delivery that a receiver accepts. */
export const good = { body, header: sign(body, secret.secret, now), id: event.id, secret, now }
