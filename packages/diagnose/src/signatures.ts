import type { SignatureScheme } from 'webhook-inbox'
import type { Change } from './causes.js'

type Encoding = Required<SignatureScheme>['encoding']

export interface ReadSignature {
  readonly encoding: Encoding
  readonly changes: readonly Change[]
}

/** Without `+`, `/`, `-` and `_` base64 and base64url differ in the padding alone, which base64url usually lacks. */
export function likelyEncodings(signatures: readonly string[]): Encoding[] {
  const isPadded = signatures.some((signature) => signature.endsWith('='))
  return isPadded ? ['hex', 'base64', 'base64url'] : ['hex', 'base64url', 'base64']
}

/** The digests that a header’s signatures stand for, as hex, under every encoding; the configured one counts first. */
export function digestsOf(signatures: readonly string[], configured: Encoding): Map<string, ReadSignature> {
  const encodings = [configured, ...likelyEncodings(signatures).filter((each) => each !== configured)]
  const digests = new Map<string, ReadSignature>()
  for (const encoding of encodings) {
    const changes: Change[] =
      encoding === configured
        ? []
        : [{ code: 'signature_encoding', evidence: `v1 is written in ${encoding}, not in ${configured}.` }]
    for (const signature of signatures) {
      const digest = decoders[encoding](signature)
      if (digest !== undefined && !digests.has(digest)) {
        digests.set(digest, { encoding, changes })
      }
    }
  }
  return digests
}

const decoders: Readonly<Record<Encoding, (text: string) => string | undefined>> = {
  hex: (text) => (/^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : undefined),
  base64: (text) => (/^[A-Za-z0-9+/]{43}=?$/.test(text) ? toHex(atob(text)) : undefined),
  base64url: (text) =>
    /^[A-Za-z0-9_-]{43}=?$/.test(text)
      ? toHex(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
      : undefined,
}

const toHex = (binary: string) =>
  Array.from(binary, (character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join('')
