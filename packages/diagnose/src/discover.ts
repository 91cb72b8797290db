import { ConfigurationError, type SignatureScheme, VerificationError, verifySignature } from 'webhook-inbox'
import { isText } from './case.js'
import type { CapturedDelivery, NamedSecret } from './diagnosis.js'
import { readings, toSeconds } from './header.js'
import { pauser } from './pauser.js'
import { requireAll } from './require-all.js'
import { schemeLine } from './scheme-line.js'
import { likelyEncodings } from './signatures.js'

export interface DiscoverInput extends CapturedDelivery {
  readonly secrets: readonly NamedSecret[]
  /** Called now and then with how many combinations were tried so far. */
  readonly onProgress?: ((tried: number) => void) | undefined
}

/** A scheme under which the delivery verifies. */
export interface DiscoveredScheme {
  readonly scheme: SignatureScheme
  /** The name of the secret that it verifies with. */
  readonly secret: string
  /** The option to paste; absent for the default scheme, which needs none. */
  readonly line?: string
}

const contents = ['timestamp.body', 'id.timestamp.body', 'body'] as const
const keys = ['utf8', 'base64', 'hex'] as const
const prefixes = ['', 'whsec_'] as const

/**
 * Every scheme of the finite space of `SignatureScheme` under which a good delivery verifies: simplest first, usually one.
 * How old the delivery is does not matter. Resolves to an empty list where no scheme fits. Rejects with `ConfigurationError`
 * `invalid_option` for anything but an input.
 */
export async function discoverScheme(input: DiscoverInput): Promise<DiscoveredScheme[]> {
  const { body, header, id, secrets, onProgress } = input ?? {}
  requireAll([
    [body instanceof Uint8Array, 'body must be the raw bytes'],
    [[header ?? ''].flat().every(isText), 'header must be a string'],
    [
      Array.isArray(secrets) && secrets.every((each) => isText(each?.secret)),
      'secrets must be a list of objects with a name and a secret',
    ],
  ])
  const [reading] = readings(header)
  if (!reading) {
    return []
  }
  const now = toSeconds(reading.timestampText)
  const encodings = likelyEncodings(reading.signatures)
  const found: DiscoveredScheme[] = []
  const pause = pauser(onProgress)
  let tried = 0
  for (const { name, secret } of secrets) {
    for (const partial of schemesFor(secret)) {
      for (const encoding of encodings) {
        const scheme = { ...partial, encoding }
        await pause(tried++)
        if (!(await verifies({ body, header, secret, scheme, now, ...(id !== undefined && { id }) }))) {
          continue
        }
        const line = schemeLine(scheme)
        found.push({ scheme, secret: name, ...(line !== undefined && { line }) })
        break
      }
    }
  }
  return found
}

function schemesFor(secret: string): SignatureScheme[] {
  return prefixes
    .filter((keyPrefix) => secret.startsWith(keyPrefix))
    .flatMap((keyPrefix) => keys.flatMap((key) => contents.map((content) => ({ content, key, keyPrefix }))))
}

async function verifies(input: Parameters<typeof verifySignature>[0]): Promise<boolean> {
  try {
    await verifySignature(input)
    return true
  } catch (error) {
    if (error instanceof VerificationError) {
      return false
    }
    // The secret does not stand for bytes in this way.
    if (error instanceof ConfigurationError && error.code === 'invalid_secret') {
      return false
    }
    throw error
  }
}
