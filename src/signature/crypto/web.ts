import { toHex } from './hex.js'
import type { CryptoPort } from './port.js'

/**
 * WebCrypto imports keys asynchronously, so a key is a promise. The type is not `Promise<CryptoKey>`, because a
 * TypeScript program for Node without `lib.dom` has no global type `CryptoKey` (TS2304).
 */
export type HmacKey = Promise<object>

const utf8 = new TextEncoder()

export const { importKey, hmac, sha256, equal }: CryptoPort<HmacKey> = {
  importKey: (secret) =>
    crypto.subtle.importKey('raw', new Uint8Array(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'sign',
    ]),

  async hmac(key, head, body) {
    const prefix = utf8.encode(head)
    const content = new Uint8Array(prefix.length + body.length)
    content.set(prefix)
    content.set(body, prefix.length)
    return toHex(new Uint8Array(await crypto.subtle.sign('HMAC', (await key) as CryptoKey, content)))
  },

  async sha256(content) {
    const bytes = typeof content === 'string' ? utf8.encode(content) : new Uint8Array(content)
    return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
  },

  equal(a, b) {
    if (a.length !== 64 || b.length !== 64) {
      return false
    }
    let difference = 0
    for (let i = 0; i < 64; i++) {
      difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
    }
    return difference === 0
  },
}
