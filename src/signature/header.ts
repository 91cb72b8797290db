import { Rejection } from '../errors.js'

/** A delivery may carry one signature for each secret in use; more than this is an attack on the CPU. */
export const maxSignatures = 16
/** The longest Service-Signature header that is read, in characters. */
export const maxHeaderLength = 4096

export interface SignatureHeader {
  /** `t`, as the literal characters: they are what is signed. */
  readonly timestampText: string
  /** `t` in unix seconds. */
  readonly timestamp: number
  /** Every `v1`, in the order of the header; at least one. */
  readonly signatures: readonly string[]
}

/**
 * Reads `t=<unix seconds>,v1=<signature>[,v1=<signature>...]`. Unknown tags are skipped, so that a `v2` can be
 * introduced beside `v1`; anything else that departs from the grammar is refused. Never throws.
 */
export function parseSignatureHeader(header: unknown): SignatureHeader | Rejection<SignatureHeaderCode> {
  const value = Array.isArray(header) && header.length <= 1 ? header[0] : header
  if ((value ?? '') === '') return new Rejection('missing_signature')
  if (typeof value !== 'string') return malformed('it was sent more than once')
  if (value.length > maxHeaderLength) return malformed(`it is longer than ${maxHeaderLength} characters`)

  let timestampText: string | undefined
  const signatures: string[] = []
  for (const part of value.split(',')) {
    const element = withoutSpace(part)
    if (element.startsWith('t=')) {
      if (timestampText !== undefined) return malformed('t is given twice')
      timestampText = element.slice(2)
      if (!/^\d{1,12}$/.test(timestampText)) return malformed('t is not 1 to 12 digits')
    } else if (element.startsWith('v1=')) {
      if (element === 'v1=') return malformed('a v1 is empty')
      if (signatures.push(element.slice(3)) > maxSignatures)
        return malformed(`more than ${maxSignatures} signatures`)
    } else if (!(element.indexOf('=') > 0)) {
      return malformed('an element is not tag=value')
    }
  }
  if (timestampText === undefined) return malformed('it has no t')
  if (signatures.length === 0) return malformed('it has no v1')
  return { timestampText, timestamp: Number(timestampText), signatures }
}

/** Optional white space (RFC 9110, 5.6.3) is space and tab only, which `trim` would exceed. */
function withoutSpace(text: string): string {
  let start = 0
  let end = text.length
  while (isSpace(text.charCodeAt(start))) start++
  while (isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/** `t` of the header that all but a few deliveries have, `t=<10 digits>,v1=<64 characters>`; NaN for any other. */
export function usualTimestamp(header: string): number {
  if (header.length !== 80 || !header.startsWith('t=') || !header.startsWith(',v1=', 12)) return Number.NaN
  let seconds = 0
  // `Number` of a slice takes 40 ns more.
  for (let i = 2; i < 12; i++) {
    const digit = header.charCodeAt(i) - 48
    seconds = digit >= 0 && digit <= 9 ? seconds * 10 + digit : Number.NaN
  }
  return seconds
}

type SignatureHeaderCode = 'missing_signature' | 'malformed_signature'

const malformed = (detail: string) => new Rejection('malformed_signature', detail)

const isSpace = (code: number) => code === 32 || code === 9
