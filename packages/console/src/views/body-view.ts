import type { Body } from '../wire.js'
import type { MaskAt } from './mask.js'
import { maskText } from './mask-text.js'

/** The parts of a body that the server may send. With a mask, it never sends the exact bytes, or a body that is not JSON. */
export function bodyView(bytes: Uint8Array, mask: MaskAt | undefined): Body {
  const isMasked = mask !== undefined
  const about = { isMasked, bytes: bytes.byteLength }
  const base64 = isMasked ? {} : { base64: Buffer.from(bytes).toString('base64') }
  const text = decode(bytes)
  if (text === undefined) {
    return { ...about, ...base64, text: null, withheld: 'not_text' }
  }
  if (!isMasked) {
    return { ...about, ...base64, text }
  }
  if (!isJson(text)) {
    return { ...about, text: null, withheld: 'not_json' }
  }
  const shown = maskText(text, mask)
  return shown === undefined ? { ...about, text: null, withheld: 'too_complex' } : { ...about, text: shown }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
