import type { SignatureScheme } from 'webhook-inbox'

/** A scheme with every default filled in. */
export type FullScheme = {
  readonly [Part in keyof SignatureScheme]-?: Exclude<SignatureScheme[Part], undefined>
}

/** What `createReceiver` takes where nothing is said. */
export const defaultScheme = {
  content: 'timestamp.body',
  encoding: 'hex',
  key: 'utf8',
  keyPrefix: '',
} as const satisfies FullScheme

/** Fills in the defaults. A part that is undefined was not given. */
export const fullScheme = (given: SignatureScheme = {}): FullScheme => ({
  ...defaultScheme,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
})

const contentNames: Readonly<Record<string, string>> = {
  't-body': 'timestamp.body',
  'id-t-body': 'id.timestamp.body',
  body: 'body',
}

/**
 * The scheme that a person writes as a name such as `t-body-hex` or `id-t-body-base64`, or as pairs such as
 * `content=body,key=base64`; `undefined` for any other text. The values are not checked here.
 */
export function parseScheme(text: string): SignatureScheme | undefined {
  const [, content = '', encoding] = /^(id-t-body|t-body|body)-(hex|base64|base64url)$/.exec(text) ?? []
  if (encoding !== undefined) {
    return { content: contentNames[content], encoding } as SignatureScheme
  }
  const pairs = text.split(',').map((pair) => /^\s*(\w+)=([^=]*)$/.exec(pair))
  if (pairs.some((pair) => pair === null)) {
    return undefined
  }
  return Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]?.trim()]))
}

const contents = {
  'timestamp.body': 't, a dot and the body',
  'id.timestamp.body': 'the event id, a dot, t, a dot and the body',
  body: 'the body alone',
} as const

const keys = {
  utf8: 'the secret as UTF-8',
  base64: 'the secret decoded from base64',
  hex: 'the secret decoded from hex',
} as const

/** What a scheme asks for, as one sentence. */
export function describeScheme({ content, encoding, key, keyPrefix }: FullScheme): string {
  const prefix = keyPrefix === '' ? '' : ` without ${keyPrefix}`
  return `v1 is an HMAC-SHA-256 in ${encoding} over ${contents[content]}; its key is ${keys[key]}${prefix}.`
}
