import { bodyOf, headerOf } from '../harness/bodies.js'

/** Of a width, so that every request and every answer of a server is as long as the others. */
const idOf = (n: number) => `evt_bench${String(n).padStart(10, '0')}`

let made = 0

/**
 * So many requests of 1 kB bodies, each with an event id never used before, ready to be written to a socket. All servers
 * are sent the same kind: stripe signs what the interface of this package signs, under another header.
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
