import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { Problem } from '../problem.js'
import { masked } from '../views/mask.js'

/**
 * Encrypts the keys of deliveries and groups wherever the console sends them, and decrypts them wherever it receives them. Such a key
 * contains a hash of the body or of the error. With the rest of the body, a person could find a short masked value by hashing guesses.
 */
export interface SealedKeys {
  /** Encrypts a text that is a key. Only for what the store names: of a text of the caller it would confirm a guess. */
  seal(text: string): string
  /** Replaces the hash of each key in a text, always by the same mark. */
  cover(text: string): string
  /** The key behind a text that {@link SealedKeys.seal} made; another text as it is. Throws a `Problem` for any other key. */
  reveal(text: string): string
}

/** Of a delivery (`endpoint/hash`) and of a group (`endpoint:hash`). A cause that is only a code has no hash. */
const hash = '(?:(?<=/)[0-9a-f]{64}|(?<=:)[0-9a-f]{24})'
const sealed = '(?:(?<=/)[0-9a-f]{96}|(?<=:)[0-9a-f]{56})'
const ivBytes = 16

/** Without a secret, each start of the program makes other texts of the same keys. */
export function sealedKeys(endpoint: string, linkSecret: string | undefined): SealedKeys {
  const secrets = Buffer.from(
    hkdfSync('sha256', linkSecret ?? randomBytes(32), '', 'webhook-inbox-console links', 64),
  )
  const [macKey, cipherKey] = [secrets.subarray(0, 32), secrets.subarray(32)]
  const prefix = `${endpoint.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}[/:]`
  const keys = new RegExp(`(${prefix})(${hash})(?![0-9a-f])`, 'g')
  const wholeKey = new RegExp(`^(${prefix})(${hash})$`)
  const wholeSealed = new RegExp(`^(${prefix})(${sealed})$`)

  // The same key always gets the same text, so that links work. So its hash gives the initialization vector, as in RFC 5297.
  const ivOf = (bytes: Uint8Array) => createHmac('sha256', macKey).update(bytes).digest().subarray(0, ivBytes)

  function encrypt(hex: string): string {
    const bytes = Buffer.from(hex, 'hex')
    const iv = ivOf(bytes)
    return Buffer.concat([iv, createCipheriv('aes-256-ctr', cipherKey, iv).update(bytes)]).toString('hex')
  }

  function decrypt(hex: string): string {
    const bytes = Buffer.from(hex, 'hex')
    const iv = bytes.subarray(0, ivBytes)
    const found = createDecipheriv('aes-256-ctr', cipherKey, iv).update(bytes.subarray(ivBytes))
    if (!ivOf(found).equals(iv)) {
      throw unknownLink
    }
    return found.toString('hex')
  }

  return {
    seal: (text) => text.replace(wholeKey, (_, start: string, hex: string) => start + encrypt(hex)),
    cover: (text) => text.replace(keys, (_, start: string) => start + masked),
    reveal(text) {
      if (wholeKey.test(text)) {
        throw unknownLink
      }
      return text.replace(wholeSealed, (_, start: string, hex: string) => start + decrypt(hex))
    },
  }
}

const unknownLink = new Problem(
  'not_found',
  'This link is not of this process: it is from another one, from before a restart, or from outside the console. Open it from a list again. The option linkSecret keeps links valid.',
)

/** The fields of an answer that hold a key of the store. Every other text may repeat what a caller sent. */
const keyFields = ['key', 'group', 'example', 'subject', 'next']

/** An answer as JSON, with its keys hidden. The text of a body stays exact. */
export const hiddenJson = (answer: unknown, { seal, cover }: SealedKeys): string =>
  JSON.stringify(answer, (name, value) => {
    if (typeof value !== 'string' || name === 'text') {
      return value
    }
    return cover(keyFields.includes(name) ? seal(value) : value)
  })

/** What people write. It may contain a key, and names nothing. */
const free = ['reason', 'text', 'body']

/** The conditions of an address, with the keys that they name. */
export function revealedQuery(query: URLSearchParams, { reveal }: SealedKeys): URLSearchParams {
  return new URLSearchParams(
    [...query].map(([name, value]) => [name, free.includes(name) ? value : reveal(value)]),
  )
}

/** The body of a change, with the keys that it names. */
export function revealedBody<Value>(value: Value, { reveal }: SealedKeys): Value {
  return JSON.parse(JSON.stringify(value), (name, part) =>
    typeof part === 'string' && !free.includes(name) ? reveal(part) : part,
  )
}
