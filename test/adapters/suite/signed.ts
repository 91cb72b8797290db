import { randomUUID } from 'node:crypto'
import { signPayload } from '../../../src/signature/sign.js'

export const secret = 'whsec_suite_0123456789abcdef'

/** A body and the headers that a sender sends with it. */
export interface Signed {
  readonly id: string
  readonly body: Buffer
  readonly headers: Record<string, string>
}

export const freshId = () => `evt_${randomUUID().replaceAll('-', '')}`

export const nowSeconds = () => Math.floor(Date.now() / 1000)

/** Returns a delivery of an event in the camelCase envelope. `over` replaces fields. */
export function signed(fields: Record<string, unknown> = {}, timestamp = nowSeconds()): Promise<Signed> {
  const event = {
    id: freshId(),
    type: 'transfer.settled',
    environment: 'sandbox',
    createdAt: '2026-11-20T10:00:00Z',
    data: { transferId: 'tr_1', status: 'settled', rail: 'mpesa', ledgerState: 'matched' },
    ...fields,
  }
  return signedBody(JSON.stringify(event), event.id, timestamp)
}

/** Returns the same event in the snake_case envelope. */
export function signedSnakeCase(): Promise<Signed> {
  const id = freshId()
  const event = {
    id,
    type: 'transfer.settled',
    product: 'mobile_money',
    created_at: '2026-11-20T10:00:00Z',
    data: { transfer_id: 'tr_1', status: 'settled', rail: 'mpesa', ledger_state: 'matched' },
  }
  return signedBody(JSON.stringify(event), id)
}

/** Signs any bytes. */
export async function signedBody(
  bytes: Uint8Array | string,
  id = freshId(),
  timestamp = nowSeconds(),
): Promise<Signed> {
  const body = Buffer.from(bytes)
  return {
    id,
    body,
    headers: {
      'content-type': 'application/json',
      'service-signature': await signPayload({ body, secret, timestamp }),
      'service-event-id': id,
    },
  }
}

/** Returns the header lines of a delivery, for a raw request. */
export const headerLines = ({ headers, body }: Signed): [string, string][] => [
  ...Object.entries(headers),
  ['content-length', String(body.length)],
]
