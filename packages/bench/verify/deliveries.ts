import { createHmac } from 'node:crypto'
import { bodyOf, headerOf, secret } from '../harness/bodies.js'

/** Standard Webhooks decodes its secret; its prefix is not part of the key. */
export const standardSecret = `whsec_${Buffer.from(secret).toString('base64')}`

/** One body, with a header for each that is to accept it; all of them over HMAC-SHA-256. */
export interface Delivery {
  readonly body: Buffer
  /** The body decoded, for those that take nothing else. */
  readonly text: string
  /** `t=...,v1=...`, ours and stripe’s. */
  readonly header: string
  /** Its two parts, for the floor. */
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

/** Several deliveries of a size, so that nobody lives on one answer remembered. */
export function deliveriesOf(bytes: number): Delivery[] {
  return Array.from({ length: 8 }, (_, n) => deliveryOf(bodyOf(bytes, `evt_${n}`)))
}

/** The same with another byte in the body, which everybody has to refuse. */
export function tampered(delivery: Delivery): Delivery {
  const body = Buffer.from(delivery.body)
  body[body.length - 3] = (body[body.length - 3] as number) ^ 1
  return { ...delivery, body, text: body.toString() }
}
