/** The bytes of a base64 text. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) {
    bytes[at] = text.charCodeAt(at)
  }
  return bytes
}

/** True where the bytes are UTF-8 without control characters other than white space. */
export function isText(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    return !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text)
  } catch {
    return false
  }
}

const perLine = 16
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

/** A hex dump: offset, 16 bytes and their characters on each line. */
export function hexDump(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += perLine) {
    const part = [...bytes.subarray(at, at + perLine)]
    const digits = part.map((byte) => hex(byte, 2)).join(' ')
    const characters = part
      .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'))
      .join('')
    lines.push(`${hex(at, 6)}  ${digits.padEnd(perLine * 3 - 1)}  ${characters}`)
  }
  return lines.join('\n')
}
