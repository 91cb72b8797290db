import * as crypto from 'node:crypto'
import type { CryptoPort } from './port.js'

const { createHash, createHmac, createSecretKey, timingSafeEqual } = crypto

export type HmacKey = crypto.KeyObject

/** One call instead of three, if Node has it (20.12 and later). */
const oneShot = (crypto as { hash?: typeof sha256InSteps }).hash

function sha256InSteps(algorithm: string, content: string | Uint8Array): string {
  return createHash(algorithm).update(content).digest('hex')
}

// Reused for each comparison. A comparison is synchronous, so two of them cannot overlap.
const left = Buffer.alloc(64)
const right = Buffer.alloc(64)

export const { importKey, hmac, sha256, equal }: CryptoPort<HmacKey> = {
  importKey: (secret) => createSecretKey(secret),
  hmac: (key, head, body) => createHmac('sha256', key).update(head).update(body).digest('hex'),
  sha256: (content) => (oneShot ?? sha256InSteps)('sha256', content),
  equal(a, b) {
    if (a.length !== 64 || b.length !== 64) {
      return false
    }
    // A character beyond ASCII needs several bytes. Then the bytes differ from every digit, or do not fit into the
    // buffer.
    if (left.write(a) !== 64 || right.write(b) !== 64) {
      return false
    }
    return timingSafeEqual(left, right)
  },
}
