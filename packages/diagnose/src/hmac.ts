import { signPayload } from 'webhook-inbox'
import type { FullScheme } from './scheme.js'

/** A key as the toolkit takes it: the text of a secret, and how it stands for bytes. */
export interface Key {
  readonly secret: string
  readonly scheme: Pick<FullScheme, 'content' | 'key' | 'keyPrefix'>
}

const prefix = 't=0,v1='

/** HMAC-SHA-256 over exactly these bytes, as 64 lower-case hex digits. The toolkit makes it, in browsers too. */
export async function hmac({ secret, scheme }: Key, content: Uint8Array): Promise<string> {
  const header = await signPayload({ body: content, secret, timestamp: 0, scheme })
  return header.slice(prefix.length)
}
