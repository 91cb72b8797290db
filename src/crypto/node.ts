import * as crypto from 'node:crypto'
import type { CryptoPort } from './port.js'

const { createHash, createHmac, createSecretKey, timingSafeEqual } = crypto

export type HmacKey = crypto.KeyObject

// Digests stay hex text: a digest taken as a Buffer costs 0.3 us more, and as much again to compare. The text is
// written over these two buffers, which no call can leave half-used, since nothing here waits.
const left = Buffer.alloc(64)
const right = Buffer.alloc(64)

/** One call where Node has it (20.12): a third of the time of a Hash object for what we hash. */
const oneShot = (crypto as { hash?: typeof sha256InSteps }).hash

function sha256InSteps(algorithm: string, content: string | Uint8Array): string {
  return createHash(algorithm).update(content).digest('hex')
}

// A header is written over this one, its timestamp and its signature lying where these two are.
const written = Buffer.alloc(80)
const timestamp = written.subarray(2, 13)
const signature = written.subarray(16)

export const { importKey, hmac, sha256, equal, signedTime }: CryptoPort<HmacKey> = {
  importKey: (secret) => createSecretKey(secret),
  hmac: (key, head, body) => createHmac('sha256', key).update(head).update(body).digest('hex'),
  sha256: (content) => (oneShot ?? sha256InSteps)('sha256', content),
  equal(a, b) {
    // Latin-1 would cut a wider character down to its low byte, which may be that of a digit.
    if (a.length !== 64 || b.length !== 64 || beyondLatin1.test(a)) return false
    left.write(a, 'latin1')
    right.write(b, 'latin1')
    return timingSafeEqual(left, right)
  },
  // 0.3 us less than by the parts of it that would have to be cut out, of 2 us for the HMAC of 1 kB.
  signedTime(key, header, body) {
    if (header.length !== 80 || !header.startsWith(',v1=', 12) || !header.startsWith('t=')) return undefined
    if (beyondLatin1.test(header)) return undefined
    written.write(header, 'latin1')
    let seconds = 0
    for (let i = 2; i < 12; i++) {
      const digit = (written[i] as number) - 48
      seconds = digit >= 0 && digit <= 9 ? seconds * 10 + digit : Number.NaN
    }
    if (Number.isNaN(seconds)) return undefined
    // What is signed has a dot where the header has its comma.
    written[12] = 46
    left.write(createHmac('sha256', key).update(timestamp).update(body).digest('hex'), 'latin1')
    if (timingSafeEqual(left, signature)) return seconds
    return /[^0-9a-f]/.test(header.slice(16)) ? undefined : Number.NaN
  },
}

/** V8 keeps two kinds of strings, and knows without reading one of the narrow kind that none of this is in it. */
const beyondLatin1 = /[^\0-\xff]/
