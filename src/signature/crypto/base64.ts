/**
 * Base64 with padding (RFC 4648, section 4), without `Buffer`. Only for short input, because each byte is an argument.
 */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

/** Base64url without padding (RFC 4648, section 5). */
export function toBase64url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Decodes base64, padded or not; `undefined` for anything else. */
export function fromBase64(text: string): Uint8Array | undefined {
  // `atob` accepts the same texts, except that it also accepts white space.
  if (/\s/.test(text)) {
    return undefined
  }
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Decodes base64url, padded or not; `undefined` for anything else. */
export function fromBase64url(text: string): Uint8Array | undefined {
  return /[+/]/.test(text) ? undefined : fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
}
