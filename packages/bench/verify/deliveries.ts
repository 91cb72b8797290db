import { createHmac } from 'node:crypto'
import { bodyOf, headerOf, secret } from '../harness/bodies.js'

/** Standard Webhooks decodes its secret; its prefix is not part of the key. */
export const standardSecret = `whsec_${Buffer.from(secret).toString('base64')}`

/** One body, with a header for each verifier. All of them sign with HMAC-SHA-256. */
export interface Delivery {
  readonly body: Buffer
  /** The body as text, for verifiers that accept only text. */
  readonly text: string
  /** `t=...,v1=...`, for this package and stripe. */
  readonly header: string
  /** The two values of that header, for the floor. */
  readonly timestamp: string
  readonly digest: string
  /** `sha256=...` over the body alone. */
  readonly hubSignature: string
  readonly standardHeaders: Record<string, string>
}

function deliveryOf(body: Buffer): Delivery {
  const header = headerOf(body)
  const [timestamp, digest] = header.replace('t=', '').split(',v1=') as [string, string]
  const hmac = (content: string) => createHmac('sha256', secret).update(content).update(body)
  return {
    body,
    text: body.toString(),
    header,
    timestamp,
    digest,
    hubSignature: `sha256=${hmac('').digest('hex')}`,
    standardHeaders: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${hmac(`msg_1.${timestamp}.`).digest('base64')}`,
    },
  }
}

/** Returns several deliveries of one size, so that no verifier gains from caching one result. */
export function deliveriesOf(bytes: number): Delivery[] {
  return Array.from({ length: 8 }, (_, n) => deliveryOf(bodyOf(bytes, `evt_${n}`)))
}

/** Returns the delivery with one byte of the body changed. Every verifier must reject it. */
export function tampered(delivery: Delivery): Delivery {
  const body = Buffer.from(delivery.body)
  body[body.length - 3] = (body[body.length - 3] as number) ^ 1
  return { ...delivery, body, text: body.toString() }
}
