import type { HmacKey } from '#crypto'
import { type ResolvedScheme, resolveScheme, type SignatureScheme } from './scheme.js'
import { keyring, type Secrets } from './secrets.js'

/** A scheme that was checked, and the keys made under it so far. */
export interface Profile {
  readonly scheme: ResolvedScheme
  readonly keysOf: (secrets: Secrets) => readonly HmacKey[]
}

const profiles = new WeakMap<SignatureScheme, Profile>()
const defaultScheme: SignatureScheme = {}

/**
 * Prepares a scheme once: a program has one or two, as constants, and preparing one and its key costs more than an
 * HMAC. Throws `ConfigurationError` as {@link resolveScheme} does.
 */
export function profileOf(scheme: SignatureScheme = defaultScheme): Profile {
  const known = profiles.get(scheme)
  // Stryker disable next-line ConditionalExpression: what is remembered is what would come out again
  if (known) return known
  const resolved = resolveScheme(scheme)
  const profile = { scheme: resolved, keysOf: keyring(resolved) }
  profiles.set(scheme, profile)
  return profile
}
