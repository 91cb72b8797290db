import { bodyOf, headerOf } from '../harness/bodies.js'

export interface Delivery {
  readonly body: Buffer
  readonly headers: {
    readonly 'content-type': string
    readonly 'service-signature': string
    readonly 'service-event-id': string
  }
}

/** Returns enough deliveries of different events that the store evicts each before it returns. */
export function deliveriesOf(bytes: number): Delivery[] {
  return Array.from({ length: 4096 }, (_, n) => {
    const id = `evt_${String(n).padStart(16, '0')}`
    const body = bodyOf(bytes, id)
    const headers = {
      'content-type': 'application/json',
      'service-signature': headerOf(body),
      'service-event-id': id,
    }
    return { body, headers }
  })
}
