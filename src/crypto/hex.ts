/** Lower-case hexadecimal (RFC 4648, section 8), without `Buffer`. */
export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += (byte < 16 ? '0' : '') + byte.toString(16)
  return text
}

/** Decodes hexadecimal of either case; `undefined` for anything else, an odd length included. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0) return undefined
  const bytes = new Uint8Array(text.length / 2)
  for (let i = 0; i < bytes.length; i++) {
    const high = digit(text.charCodeAt(2 * i))
    const low = digit(text.charCodeAt(2 * i + 1))
    if (high < 0 || low < 0) return undefined
    bytes[i] = high * 16 + low
  }
  return bytes
}

function digit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
