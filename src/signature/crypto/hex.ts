/** Lower-case hexadecimal (RFC 4648, section 8), without `Buffer`. */
export function toHex(bytes: Iterable<number>): string {
  let text = ''
  for (const byte of bytes) {
    text += (byte < 16 ? '0' : '') + byte.toString(16)
  }
  return text
}

/** Decodes hexadecimal in upper or lower case. `undefined` for any other text, such as one with an odd length. */
export function fromHex(text: string): Uint8Array | undefined {
  if (/[^0-9a-f]/i.test(text) || text.length % 2) {
    return undefined
  }
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
