import { createHmac } from 'node:crypto'
import { ConfigurationError, VerificationError } from '../../src/errors.js'

/** What the signatures of these tests sign. */
export const timestamp = 1_700_000_000
export const body = Buffer.from('{"a":"b"}')
const key = Buffer.from('0123456789abcdef0123456789abcdef', 'hex')
export const id = 'evt_1'

const contents = ['timestamp.body', 'id.timestamp.body', 'body'] as const
const encodings = ['hex', 'base64', 'base64url'] as const
const keys = ['utf8', 'base64', 'hex'] as const

export const written = { utf8: 'plain text', base64: key.toString('base64'), hex: key.toString('hex') }
const keyBytes = { utf8: Buffer.from('plain text'), base64: key, hex: key }

export const profiles = contents.flatMap((content) =>
  encodings.flatMap((encoding) => keys.map((form) => ({ content, encoding, key: form }))),
)

/** The signature by definition, computed with node:crypto only. */
export function reference({ content, encoding, key: form }: (typeof profiles)[number]): string {
  const head = { 'timestamp.body': `${timestamp}.`, 'id.timestamp.body': `${id}.${timestamp}.`, body: '' }[
    content
  ]
  const hmac = createHmac('sha256', keyBytes[form]).update(Buffer.concat([Buffer.from(head), body]))
  return `t=${timestamp},v1=${hmac.digest(encoding)}`
}

export const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: unknown) => {
      if (error instanceof VerificationError || error instanceof ConfigurationError) {
        return error.code
      }
      throw error
    },
  )
