import { createSecretKey } from 'node:crypto'
import { contentHash } from '../../../src/event/content-hash.js'
import { readEvent } from '../../../src/event/parse.js'
import { checkData } from '../../../src/event/standard-schema.js'
import { acknowledge, type ReceiveResult } from '../../../src/result.js'
import { equal, hmac, sha256 } from '../../../src/signature/crypto/node.js'
import { parseSignatureHeader, type SignatureHeader } from '../../../src/signature/header.js'
import { memoryLeases } from '../../../src/stores/memory.js'
import { secret } from '../harness/bodies.js'
import type { Delivery } from './deliveries.js'

/**
 * Does what `receive` does with a usual delivery, as one function that calls the same parts in order. It leaves out other
 * schemes, secrets and stores, concurrent deliveries, handlers that fail or never settle, and lost claims.
 */
export function straightLine(maxEvents: number, handler: () => unknown) {
  const key = createSecretKey(Buffer.from(secret))
  const leases = memoryLeases({ maxEvents })

  return async function receive({ headers, body }: Delivery): Promise<ReceiveResult> {
    if (headers['content-type'] !== 'application/json') {
      throw new Error('unsupported_media_type')
    }
    const { timestampText, timestamp, signatures } = parseSignatureHeader(
      headers['service-signature'],
    ) as SignatureHeader
    const expected = hmac(key, `${timestampText}.`, body) as string
    const isSigned = equal(signatures[0] as string, expected)
    if (!isSigned || Math.abs(Date.now() / 1000 - timestamp) > 300) {
      throw new Error('signature_mismatch')
    }

    const read = readEvent(body, 'refuse')
    const { event, warnings } = read
    if (headers['service-event-id'] !== event.id) {
      throw new Error('event_id_mismatch')
    }
    await checkData(event.type, event.data, undefined, warnings)

    const id = sha256(`default\0${event.id}`) as string
    const hash = contentHash(read) as string
    const claim = await leases.claim(id, 60)
    if (claim.state !== 'claimed') {
      return acknowledge('duplicate', { event, warnings })
    }
    const timer = setTimeout(() => {}, 10_000)
    await handler()
    clearTimeout(timer)
    await leases.complete(id, claim.token, hash, 7_776_000)
    return acknowledge('processed', { event, warnings, secretIndex: 0 })
  }
}
