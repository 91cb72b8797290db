import type { Change } from './causes.js'
import type { FullScheme } from './scheme.js'

type Encoding = FullScheme['encoding']

/** How a signature of the header must be read to be the right one. */
export interface ReadSignature {
  readonly encoding: Encoding
  readonly changes: readonly Change[]
}

const digestDigits = 64
/** A shorter beginning is not searched for: it would match by chance among so many combinations. */
const fewestDigits = 12

/** Without `+`, `/`, `-` and `_` base64 and base64url differ in the padding alone, which base64url usually lacks. */
export function likelyEncodings(signatures: readonly string[]): Encoding[] {
  const isPadded = signatures.some((signature) => signature.endsWith('='))
  return isPadded ? ['hex', 'base64', 'base64url'] : ['hex', 'base64url', 'base64']
}

/** Finds the signature of a header that a digest in hex is, or that is the beginning of the digest. */
export function signatureFinder(
  signatures: readonly string[],
  configured: Encoding,
): (digest: string) => ReadSignature | undefined {
  const whole = new Map<string, ReadSignature>()
  const cut: { hex: string; read: ReadSignature }[] = []
  for (const encoding of [configured, ...likelyEncodings(signatures).filter((each) => each !== configured)]) {
    const changes = encodingChanges(encoding, configured)
    for (const signature of signatures) {
      const hex = decoders[encoding](signature) ?? ''
      if (hex.length === digestDigits && !whole.has(hex)) {
        whole.set(hex, { encoding, changes })
      } else if (hex.length >= fewestDigits && hex.length < digestDigits) {
        cut.push({ hex, read: { encoding, changes: [...changes, cutChange(signature)] } })
      }
    }
  }
  return (digest) => whole.get(digest) ?? cut.find(({ hex }) => digest.startsWith(hex))?.read
}

function encodingChanges(encoding: Encoding, configured: Encoding): Change[] {
  return encoding === configured
    ? []
    : [{ code: 'signature_encoding', evidence: `v1 is written in ${encoding}, not in ${configured}.` }]
}

const cutChange = (signature: string): Change => ({
  code: 'signature_cut',
  evidence: `v1 has ${withoutMark(signature).length} characters, and the right one begins with them.`,
})

/** Programs that shorten a value end it with an ellipsis. */
const withoutMark = (signature: string) => signature.replace(/(?:…|\.{3})$/, '')

const decoders: Readonly<Record<Encoding, (text: string) => string | undefined>> = {
  hex: (text) => (/^[0-9a-f]+$/i.test(withoutMark(text)) ? withoutMark(text).toLowerCase() : undefined),
  base64: (text) => fromBase64(withoutMark(text), /^[A-Za-z0-9+/]+=?$/),
  base64url: (text) => fromBase64(withoutMark(text), /^[A-Za-z0-9_-]+=?$/),
}

/** A rest of less than four characters ends within a byte, so it is left out, unless it ends the digest. */
function fromBase64(text: string, allowed: RegExp): string | undefined {
  if (!allowed.test(text)) {
    return undefined
  }
  const digits = text.replace(/=$/, '').replaceAll('-', '+').replaceAll('_', '/')
  const isWhole = digits.length === 43
  return toHex(atob(isWhole ? digits : digits.slice(0, digits.length - (digits.length % 4))))
}

const toHex = (binary: string) =>
  Array.from(binary, (character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join('')
