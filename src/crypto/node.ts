import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { CryptoPort } from './port.js'

export type HmacKey = KeyObject

export const { importKey, hmac, sha256, equal }: CryptoPort<HmacKey> = {
  importKey: (secret) => createSecretKey(secret),
  hmac: (key, head, body) => createHmac('sha256', key).update(head).update(body).digest(),
  sha256: (content) => createHash('sha256').update(content).digest('hex'),
  equal: (a, b) => a.length === b.length && timingSafeEqual(a, b),
}
