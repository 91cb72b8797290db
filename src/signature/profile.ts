import type { HmacKey } from '#crypto'
import { type ResolvedScheme, resolveScheme, type SignatureScheme } from './scheme.js'
import { keyring, type Secrets } from './secrets.js'

/** A valid scheme and its prepared keys. */
export interface Profile {
  readonly scheme: ResolvedScheme
  readonly keysOf: (secrets: Secrets) => readonly HmacKey[]
}

const profiles = new WeakMap<SignatureScheme, Profile>()
const defaultScheme: SignatureScheme = {}

/**
 * Prepares each scheme object once, because preparing a scheme and its key costs more than an HMAC. Throws
 * `ConfigurationError` as {@link resolveScheme} does.
 */
export function profileOf(scheme: SignatureScheme = defaultScheme): Profile {
  const known = profiles.get(scheme)
  if (known) {
    return known
  }
  const resolved = resolveScheme(scheme)
  const profile = { scheme: resolved, keysOf: keyring(resolved) }
  profiles.set(scheme, profile)
  return profile
}
