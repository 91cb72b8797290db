import { Rejection } from '../errors.js'

/** The most signatures in one header. A sender sends one for each secret in use. */
export const maxSignatures = 16
/** The longest Service-Signature header that is read, in characters. */
export const maxHeaderLength = 4096

export interface SignatureHeader {
  /** The text of `t` in the header. The sender signs this text, not the number. */
  readonly timestampText: string
  /** `t` in unix seconds. */
  readonly timestamp: number
  /** Every `v1`, in the order of the header. There is at least one. */
  readonly signatures: readonly string[]
}

/**
 * Reads `t=<unix seconds>,v1=<signature>[,v1=<signature>...]`. Skips unknown tags, so that a sender can introduce `v2`
 * in addition to `v1`. Rejects any other form. Ignores spaces and tabs around the value, as in every HTTP header.
 * Rejects white space inside the value, because some platforms join a header that was sent twice with a comma and a
 * space. Never throws.
 */
export function parseSignatureHeader(header: unknown): SignatureHeader | Rejection<SignatureHeaderCode> {
  const given: unknown = Array.isArray(header) && header.length <= 1 ? header[0] : header
  if ((given ?? '') === '') {
    return new Rejection('missing_signature')
  }
  if (typeof given !== 'string') {
    return malformed('it was sent more than once')
  }
  if (given.length > maxHeaderLength) {
    return malformed(`it is longer than ${maxHeaderLength} characters`)
  }
  const value = trimmed(given)
  if (/\s/.test(value)) {
    return malformed('it contains white space, or was sent more than once')
  }

  let timestampText: string | undefined
  const signatures: string[] = []
  let end = -1
  while (end < value.length) {
    const start = end + 1
    end = value.indexOf(',', start)
    if (end < 0) {
      end = value.length
    }
    const element = value.slice(start, end)
    if (element.startsWith('v1=')) {
      if (signatures.push(element.slice(3)) > maxSignatures) {
        return malformed(`more than ${maxSignatures} signatures`)
      }
    } else if (element.startsWith('t=')) {
      if (timestampText !== undefined) {
        return malformed('t is given twice')
      }
      timestampText = element.slice(2)
      if (!/^\d{1,12}$/.test(timestampText)) {
        return malformed('t is not 1 to 12 digits')
      }
    } else if (element.indexOf('=') < 1) {
      return malformed('an element is not tag=value')
    }
  }
  if (timestampText === undefined) {
    return malformed('it has no t')
  }
  if (!signatures.some((signature) => signature !== '')) {
    return malformed('it has no v1')
  }
  return { timestampText, timestamp: Number(timestampText), signatures }
}

/** Removes spaces and tabs around the value. `trim` would also remove line breaks, which are invalid in a header. */
function trimmed(value: string): string {
  let [start, end] = [0, value.length]
  while (isSpaceOrTab(value[start])) {
    start++
  }
  while (isSpaceOrTab(value[end - 1])) {
    end--
  }
  return value.slice(start, end)
}

const isSpaceOrTab = (character: string | undefined) => character === ' ' || character === '\t'

type SignatureHeaderCode = 'missing_signature' | 'malformed_signature'

const malformed = (detail: string) => new Rejection('malformed_signature', detail)
