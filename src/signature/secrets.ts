import { type HmacKey, importKey } from '#crypto'
import { catchLater } from '../catch-later.js'
import { ConfigurationError } from '../errors.js'
import { decoders, type ResolvedScheme } from './scheme.js'

/**
 * One secret, or several during a rotation. A delivery signed with any of them is accepted. The key is the UTF-8 bytes
 * of the secret, prefix included, unless the scheme says otherwise.
 */
export type Secrets = string | readonly string[]

/** Decodes a secret to the bytes of its key. Throws `ConfigurationError` `invalid_secret`. */
export function decodeSecret(secret: unknown, scheme: ResolvedScheme): Uint8Array {
  if (typeof secret !== 'string') {
    const fix = secret === undefined ? '; set the variable that holds it' : ''
    throw invalid(`it is ${kindOf(secret)}, not a string${fix}`)
  }
  if (secret === '') {
    throw invalid('it is empty')
  }
  if (secret.trim() !== secret) {
    throw invalid('it begins or ends with white space')
  }
  // UTF-8 encodes every lone surrogate as the same bytes, so different secrets would give the same key.
  if (!secret.isWellFormed()) {
    throw invalid('it holds a lone surrogate')
  }
  const text = secret.startsWith(scheme.keyPrefix) ? secret.slice(scheme.keyPrefix.length) : secret
  const bytes = decoders[scheme.key](text)
  if (!bytes) {
    throw invalid(`it is not ${scheme.key}, as scheme.key says`)
  }
  if (bytes.length === 0) {
    throw invalid('nothing is left of it')
  }
  return bytes
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) {
    return String(value)
  }
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

const invalid = (why: string) => new ConfigurationError('invalid_secret', `a secret cannot be used: ${why}`)

/** Maximum number of cached keys. The oldest is dropped first. */
const maxKeys = 256

/** Prepares each key once, because importing a key costs as much as an HMAC. */
export function keyring(scheme: ResolvedScheme): (secrets: Secrets) => readonly HmacKey[] {
  // Each key is kept in a list, so that a delivery with a single secret allocates no list.
  const keys = new Map<string, readonly [HmacKey]>()

  function keyOf(secret: string): readonly [HmacKey] {
    const known = keys.get(secret)
    if (known) {
      return known
    }
    const key = [importKey(decodeSecret(secret, scheme))] as const
    if (keys.size >= maxKeys) {
      keys.delete(keys.keys().next().value as string)
    }
    keys.set(secret, key)
    return key
  }

  return (secrets) => {
    if (!Array.isArray(secrets)) {
      return keyOf(secrets as string)
    }
    if (secrets.length === 0) {
      throw invalid('the list is empty')
    }
    // A copy, because flatMap skips the holes of a sparse list.
    return [...secrets].flatMap((secret: string) => keyOf(secret))
  }
}

/** Secrets, or a function that loads them for a request whose headers are not verified yet. */
export type SecretSource<Request> = Secrets | ((request: Request) => Secrets | Promise<Secrets>)

/** Minimum length of a key, in bytes. A shorter key is a placeholder or can be guessed. */
const leastSecretBytes = 16

/** Values that were converted to a string by mistake, such as a variable that is not set. */
const notSecrets = ['undefined', 'null', 'NaN', '[object Object]']

/** Maximum number of secrets. A forged delivery costs one HMAC for each. */
const mostSecrets = 16

/** Prepares the keys of a fixed secret now, and those of a resolver for each request. */
export function keySource<Request>(
  secret: SecretSource<Request>,
  scheme: ResolvedScheme,
): (request: Request) => readonly HmacKey[] | Promise<readonly HmacKey[]> {
  const keysOf = keyring(scheme)
  function keysOfReceiver(secrets: Secrets): readonly HmacKey[] {
    const list: readonly unknown[] = Array.isArray(secrets) ? [...secrets] : [secrets]
    // Without Promise.all, a resolver returns a list of promises, and one of them may reject later.
    for (const each of list) {
      catchLater(each)
    }
    if (list.length > mostSecrets) {
      throw invalid(`the list has more than ${mostSecrets}`)
    }
    for (const each of list) {
      checkSecret(each, scheme)
    }
    return keysOf(secrets)
  }
  if (typeof secret === 'function') {
    return async (request) => keysOfReceiver(await secret(request))
  }
  const keys = keysOfReceiver(secret)
  return () => keys
}

/** Throws `ConfigurationError` `invalid_secret` for anything but one secret that is long enough. */
export function checkSecret(secret: unknown, scheme: ResolvedScheme): void {
  if (notSecrets.includes(secret as string)) {
    throw invalid(`it is the text '${secret}'`)
  }
  if (decodeSecret(secret, scheme).length < leastSecretBytes) {
    throw invalid(`it has fewer than ${leastSecretBytes} bytes`)
  }
}
