/**
 * The cryptography of this package. Two implementations behave identically: `node.ts` uses `node:crypto` and `web.ts`
 * uses WebCrypto. The `imports` conditions of package.json choose one. No other file of the core imports a `node:`
 * module.
 */
export interface CryptoPort<Key> {
  /** Prepares a secret for HMAC-SHA-256. The bytes must not be empty. */
  importKey(secret: Uint8Array): Key
  /** HMAC-SHA-256 (RFC 2104) over `head`, an ASCII string, followed by `body`, as 64 lower-case hex digits. */
  hmac(key: Key, head: string, body: Uint8Array): string | Promise<string>
  /** SHA-256 over the UTF-8 bytes of a string or over bytes, as 64 lower-case hex digits. */
  sha256(content: string | Uint8Array): string | Promise<string>
  /** Compares two digests of 64 hex digits in constant time. Returns false immediately for another length. */
  equal(a: string, b: string): boolean
}
