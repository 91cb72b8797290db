import * as crypto from 'node:crypto'
import type { CryptoPort } from './port.js'

const { createHash, createHmac, createSecretKey, timingSafeEqual } = crypto

export type HmacKey = crypto.KeyObject

// Digests stay hex text: a digest taken as a Buffer costs 0.3 us more, and as much again to compare. Texts are written
// over these buffers, which no call can leave half-used, since nothing here waits.
const left = Buffer.alloc(64)
const right = Buffer.alloc(64)
/** For a header whose signed head, once its comma is a dot, and whose signature lie where the next two are. */
const written = Buffer.alloc(80)
const writtenHead = written.subarray(2, 13)
const writtenSignature = written.subarray(16)

/** One call where Node has it (20.12): a third of the time of a Hash object for what we hash. */
const oneShot = (crypto as { hash?: typeof sha256InSteps }).hash

function sha256InSteps(algorithm: string, content: string | Uint8Array): string {
  return createHash(algorithm).update(content).digest('hex')
}

export const { importKey, hmac, sha256, equal, isSignedInPlace }: CryptoPort<HmacKey> = {
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
  // 0.3 us less than by parts that are cut out, of 2 us for an HMAC of 1 kB. A forgery in upper case costs it twice.
  isSignedInPlace(key, header, body) {
    if (beyondLatin1.test(header)) return undefined
    written.write(header, 'latin1')
    written[12] = dot
    left.write(createHmac('sha256', key).update(writtenHead).update(body).digest('hex'), 'latin1')
    if (timingSafeEqual(left, writtenSignature)) return true
    return /[^0-9a-f]/.test(header.slice(16)) ? undefined : false
  },
}

const dot = 46

/** V8 keeps two kinds of strings, and knows without reading one of the narrow kind that none of this is in it. */
const beyondLatin1 = /[^\0-\xff]/
