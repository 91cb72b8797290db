import { bodyOf, headerOf } from '../harness/bodies.js'

/** Fixed width, so that all requests have the same length, and all responses too. */
const idOf = (n: number) => `evt_bench${String(n).padStart(10, '0')}`

let made = 0

/**
 * Returns requests ready for a socket, each with a body of 1 kB and a new event id. All servers get the same kind:
 * stripe signs the same bytes, under another header.
 */
export function deliveries(count: number, bodyBytes = 1000): Buffer[] {
  return Array.from({ length: count }, () => {
    const id = idOf(made++)
    const body = bodyOf(bodyBytes, id)
    const signature = headerOf(body)
    const head = [
      'POST /webhooks HTTP/1.1',
      'host: localhost',
      'user-agent: bench/1.0',
      'accept: */*',
      'content-type: application/json',
      `content-length: ${body.length}`,
      `service-event-id: ${id}`,
      `service-signature: ${signature}`,
      `stripe-signature: ${signature}`,
    ]
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body])
  })
}
