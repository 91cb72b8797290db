import type { Change } from './causes.js'
import type { NamedSecret } from './diagnosis.js'
import { hmac, type Key } from './hmac.js'
import type { FullScheme } from './scheme.js'

/** A key to try, and what must be corrected to arrive at it. */
export interface KeyCandidate {
  readonly key: Key
  /** How a receiver must be told to make this key of the secret. */
  readonly options: Pick<FullScheme, 'key' | 'keyPrefix'>
  readonly changes: readonly Change[]
}

const prefix = 'whsec_'
const keyForms = ['utf8', 'base64', 'hex'] as const

/** Every key that a secret may stand for, the configured one first. Those that stand for no bytes are left out. */
export async function keyCandidates(
  secret: NamedSecret,
  others: readonly NamedSecret[],
  scheme: FullScheme,
): Promise<KeyCandidate[]> {
  const candidates = [
    ...keysOf(secret, scheme, []),
    ...others
      .filter((other) => other.secret !== secret.secret)
      .flatMap((other) =>
        keysOf(other, scheme, [
          { code: 'other_secret', evidence: `It is ${other.name}, not ${secret.name}.` },
        ]),
      ),
  ]
  const usable = await Promise.all(candidates.map(({ key }) => isUsable(key)))
  return candidates.filter((_, index) => usable[index])
}

function keysOf(
  { name, secret }: NamedSecret,
  scheme: FullScheme,
  changes: readonly Change[],
): KeyCandidate[] {
  const found: KeyCandidate[] = []
  for (const text of textsOf(name, secret)) {
    for (const withPrefix of prefixesOf(name, text.secret, scheme.keyPrefix)) {
      for (const key of keyForms) {
        const keyChange: Change = {
          code: 'key_encoding',
          evidence: `The key is ${name} decoded as ${key}, not as ${scheme.key}.`,
        }
        found.push({
          key: {
            secret: withPrefix.secret,
            scheme: { content: 'body', key, keyPrefix: withPrefix.keyPrefix },
          },
          options: { key, keyPrefix: withPrefix.keyPrefix },
          changes: [
            ...changes,
            ...text.changes,
            ...withPrefix.changes,
            ...(key === scheme.key ? [] : [keyChange]),
          ],
        })
      }
    }
  }
  return [...found, ...withLineBreak(name, secret, scheme, changes)]
}

function textsOf(name: string, secret: string): { secret: string; changes: Change[] }[] {
  const texts = [{ secret, changes: [] as Change[] }]
  const trimmed = secret.trim()
  const white: Change[] = []
  if (trimmed !== secret) {
    white.push({ code: 'secret_white_space', evidence: `${name} ${whereWhite(secret, trimmed)}.` })
    texts.push({ secret: trimmed, changes: white })
  }
  const [, , inner] = /^(["'])(.+)\1$/s.exec(trimmed) ?? []
  if (inner !== undefined) {
    const quoted: Change = {
      code: 'secret_quoted',
      evidence: `${name} begins and ends with the same quotation mark.`,
    }
    texts.push({ secret: inner, changes: [...white, quoted] })
  }
  return texts
}

function whereWhite(secret: string, trimmed: string): string {
  const before = secret.indexOf(trimmed)
  const after = secret.length - trimmed.length - before
  const tail = /[\r\n]/.test(secret.slice(secret.length - after)) ? 'a line break' : 'white space'
  if (before > 0 && after > 0) {
    return 'has white space before and after it'
  }
  return before > 0 ? 'begins with white space' : `ends with ${tail}`
}

/** The prefix as configured, and the other way. */
function prefixesOf(name: string, secret: string, configured: string) {
  const asConfigured = { secret, keyPrefix: configured, changes: [] as Change[] }
  if (!secret.startsWith(prefix)) {
    const evidence = `The key is whsec_ followed by ${name}.`
    return [
      asConfigured,
      {
        secret: prefix + secret,
        keyPrefix: '',
        changes: [{ code: 'secret_prefix_missing', evidence } as Change],
      },
    ]
  }
  const change: Change =
    configured === prefix
      ? { code: 'secret_prefix_stripped', evidence: `The key is the whole of ${name}.` }
      : { code: 'secret_prefix_kept', evidence: `The key is ${name} without whsec_.` }
  return [asConfigured, { secret, keyPrefix: configured === prefix ? '' : prefix, changes: [change] }]
}

/**
 * The keys of a sender that read its secret from a file, with a line break at the end. In hex, because webhook-inbox
 * rejects white space.
 */
function withLineBreak(
  name: string,
  secret: string,
  { key, keyPrefix }: FullScheme,
  changes: readonly Change[],
): KeyCandidate[] {
  return ['\n', '\r\n'].map((lineBreak) => ({
    key: { secret: toHex(secret + lineBreak), scheme: { content: 'body', key: 'hex', keyPrefix: '' } },
    options: { key, keyPrefix },
    changes: [
      ...changes,
      {
        code: 'secret_line_break_missing',
        evidence: `The key is ${name} followed by a line break (${JSON.stringify(lineBreak).slice(1, -1)}).`,
      },
    ],
  }))
}

const toHex = (text: string) =>
  Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')

const nothing = new Uint8Array()

/** The toolkit itself says whether it can use a secret in this way. */
const isUsable = (key: Key) =>
  hmac(key, nothing).then(
    () => true,
    () => false,
  )
