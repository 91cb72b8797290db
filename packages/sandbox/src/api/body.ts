import { isUtf8 } from 'node:buffer'
import type { Context, MiddlewareHandler } from 'hono'
import type { Env } from './app.js'
import { duplicateKeys } from './duplicate-keys.js'
import { Problem } from './problems.js'
import { warn } from './warnings.js'

/** 256 KiB. */
export const maxBodyBytes = 262_144
const maxDepth = 64

/** Reads the body of a POST up to the limit, and passes it to the route as text. */
export const readBody: MiddlewareHandler<Env> = async (c, next) => {
  const text = await readText(c)
  // Hono declares the type of the body, and stores a promise of it.
  c.req.bodyCache.text = Promise.resolve(text) as unknown as string
  await next()
}

/** Applies a step to requests of these methods. */
export function onlyFor(
  methods: readonly string[],
  middleware: MiddlewareHandler<Env>,
): MiddlewareHandler<Env> {
  return (c, next) => (methods.includes(c.req.method) ? middleware(c, next) : next())
}

/** Rejects a body that is not JSON. `readBody` must have run. */
export const requireJson: MiddlewareHandler<Env> = async (c, next) => {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!/^application\/([a-z0-9.-]+\+)?json$/.test(type)) {
    throw new Problem('unsupported_media_type', 'Send the body with "Content-Type: application/json".')
  }
  // The framework checks it again, and fails for forms that it does not know.
  c.req.raw.headers.set('Content-Type', 'application/json')
  const encoding = c.req.header('content-encoding') ?? 'identity'
  if (encoding !== 'identity') {
    throw new Problem('unsupported_media_type', 'Send the body without a Content-Encoding.')
  }
  const text = await c.req.text()
  if (parseJson(text) === undefined) {
    const detail = `The body is not valid JSON in UTF-8 of at most ${maxDepth} levels.`
    throw new Problem('malformed_request', detail)
  }
  for (const key of duplicateKeys(text)) {
    warn(c, `the key ${JSON.stringify(key)} is there twice, the last value counts`)
  }
  await next()
}

async function readText(c: Context<Env>): Promise<string> {
  const declared = Number(c.req.header('content-length') ?? 0)
  if (declared > maxBodyBytes) {
    throw tooLarge()
  }
  const bytes = Buffer.concat(await readChunks(c))
  // Other bytes become a text that is not JSON. Different bytes give different texts.
  return isUtf8(bytes) ? bytes.toString() : `not UTF-8: ${bytes.toString('base64')}`
}

async function readChunks(c: Context<Env>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of (c.req.raw.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength
      if (size > maxBodyBytes) {
        throw tooLarge()
      }
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof Problem) {
      throw error
    }
    throw new Problem('malformed_request', 'The body did not arrive completely.')
  }
  return chunks
}

const tooLarge = () =>
  new Problem('body_too_large', `The body may have at most ${maxBodyBytes} bytes.`, {
    gap: 'G29',
    // The rest of the body is not read.
    headers: { Connection: 'close' },
  })

/** `undefined` if the text is not JSON, or nested deeper than 64 levels. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isDeeperThan(value, maxDepth) ? undefined : value
  } catch {
    return undefined
  }
}

/** Does not recurse, because the sender chooses the depth. */
function isDeeperThan(value: unknown, limit: number): boolean {
  let level = [value].filter(isContainer)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === limit) {
      return true
    }
    level = level.flatMap((entry) => Object.values(entry)).filter(isContainer)
  }
  return false
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null
