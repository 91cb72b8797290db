/** Base64 with padding (RFC 4648, section 4), without `Buffer`. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Base64url without padding (RFC 4648, section 5). */
export function toBase64url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/
const base64url = /^[A-Za-z0-9_-]*={0,2}$/

/** Decodes base64, padded or not; `undefined` for anything else. */
export function fromBase64(text: string): Uint8Array | undefined {
  const digits = text.replace(/=+$/, '')
  const padded = digits.padEnd(Math.ceil(digits.length / 4) * 4, '=')
  if (!base64.test(text) || digits.length % 4 === 1 || (text !== digits && text !== padded)) return undefined
  return Uint8Array.from(atob(digits), (character) => character.charCodeAt(0))
}

/** Decodes base64url, padded or not; `undefined` for anything else. */
export function fromBase64url(text: string): Uint8Array | undefined {
  return base64url.test(text) ? fromBase64(text.replaceAll('-', '+').replaceAll('_', '/')) : undefined
}
