import { toHex } from '../../signature/crypto/hex.js'

/** The part of ioredis 5.4 or later that the store uses: a `Redis` or a `Cluster`. */
export interface RedisClient extends RedisEvents {
  call(command: string, ...args: string[]): Promise<unknown>
  pipeline(): RedisPipeline
  /** Only a `Cluster` has it. */
  nodes?(role: 'master'): RedisNode[]
}

/** What a client reports beside the responses to commands: why it cannot connect. */
interface RedisEvents {
  on?(event: 'error', listener: (error: Error) => void): unknown
  off?(event: 'error', listener: (error: Error) => void): unknown
}

/** One server: a `Redis`, alone or in a `Cluster`. */
export interface RedisNode {
  call(command: string, ...args: string[]): Promise<unknown>
  readonly options?: { readonly socketTimeout?: number | undefined }
}

export interface RedisPipeline {
  call(command: string, ...args: string[]): unknown
  exec(): Promise<[error: Error | null, reply: unknown][] | null>
}

/** The SHA-1 by which Redis knows a script. */
export async function digestOf(lua: string): Promise<string> {
  const known = digests.get(lua)
  if (known !== undefined) {
    return known
  }
  const bytes = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(lua))
  const digest = toHex(new Uint8Array(bytes))
  digests.set(lua, digest)
  return digest
}

const digests = new Map<string, string>()

/** Whether the server itself answered with an error. After any other error it is unknown what was executed. */
export const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'ReplyError'

/** Whether the server answered with an error of one of these codes: the first word of its message. */
export function isReply(error: unknown, ...codes: string[]): boolean {
  if (!(error instanceof Error)) {
    return false
  }
  return codes.some((code) => error.message.startsWith(`${code} `))
}
