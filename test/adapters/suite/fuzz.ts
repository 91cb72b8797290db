import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliver, RawConnection, type RequestParts, request } from './http.js'
import { type Mount, rig } from './rig.js'
import { type Signed, secret, signed } from './signed.js'

export interface FuzzOptions {
  /** How long to send requests. Default 2 s, 30 s with `LONG`, or `FUZZ_SECONDS`. */
  readonly seconds?: number
}

/**
 * Sends random and mutated requests to an adapter for a bounded time. Every request gets a response. No response is a 5xx,
 * because only the sender fails here, and none leaks a detail. Afterwards a valid delivery works. `FUZZ_SEED` repeats a
 * printed seed.
 */
export function fuzzSuite(name: string, mount: Mount, options: FuzzOptions = {}): void {
  const usual = process.env.LONG ? 30 : 2
  const seconds = Number(process.env.FUZZ_SECONDS ?? options.seconds ?? usual)
  describe(`${name} under fuzz`, () => {
    test('answers random and mutated requests', { timeout: seconds * 1000 + 60_000 }, async () => {
      const { url, ran } = await rig(mount, { maxBodyBytes: 4096 })
      const good = await signed()
      const count = await fireFor(seconds, name, shapes(good), async (shape) => {
        const { answer, isSigned } = await fire(url, shape, good)
        checkAnswer(answer, good)
        if (!isSigned) {
          expect(answer).not.toMatch(/^HTTP\/1\.1 2|processed|duplicate/)
        }
      })
      console.log(`${name}: ${count} requests`)
      expect(count).toBeGreaterThan(10)
      const fresh = await signed()
      expect((await deliver(url, fresh)).json).toEqual({ outcome: 'processed', eventId: fresh.id })
      expect(new Set(ran.map(({ id }) => id)).size).toBe(ran.length)
    })
  })
}

type Shape =
  | { readonly kind: 'parts'; readonly parts: RequestParts }
  | { readonly kind: 'mutated'; readonly at: number; readonly bit: number; readonly cut: number }
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

const token = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,20}$/)
const headerValue = fc.oneof(
  fc.stringMatching(/^[\x20-\x7e]{0,60}$/),
  fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,200}$/),
  fc.tuple(fc.nat(), fc.stringMatching(/^[0-9a-f]{0,70}$/)).map(([t, v1]) => `t=${t},v1=${v1}`),
  fc.constantFrom('application/json', 'gzip', 'close', '0', '-1', '1e9', 'chunked', 'null', '*/*; q=', ''),
)
/** Only raw bytes contain framing headers. The HTTP client would wait forever for its own body. */
const isFraming = (name: string) =>
  /^(content-length|transfer-encoding|expect|upgrade|connection|keep-alive|trailer|te|host|proxy-connection)$/i.test(
    name,
  )
const knownNames = [
  'service-signature',
  'service-event-id',
  'content-type',
  'content-encoding',
  'accept',
  'cookie',
  'x-forwarded-for',
  'constructor',
  '__proto__',
  'toString',
  'content-disposition',
  'range',
  'if-none-match',
  'origin',
] as const
const headerName = fc.oneof(fc.constantFrom(...knownNames), token).filter((name) => !isFraming(name))

const jsonBody = fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text))
const body = fc.oneof(
  jsonBody,
  fc.uint8Array({ maxLength: 300 }).map(Buffer.from),
  fc.constant(Buffer.alloc(6000, 0x61)),
)

function shapes(good: Signed): fc.Arbitrary<Shape> {
  const parts = fc
    .record({
      method: fc.constantFrom('POST', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
      headers: fc.dictionary(headerName, headerValue, { maxKeys: 8, noNullPrototype: false }),
      isTyped: fc.boolean(),
      body,
      isChunked: fc.boolean(),
    })
    .map(({ method, headers, isTyped, body, isChunked }): Shape => {
      const typed = isTyped ? { ...headers, 'content-type': 'application/json' } : headers
      const content = isChunked ? { chunks: [body] } : { body }
      return { kind: 'parts', parts: { method, headers: typed, ...content } }
    })
  const mutated = fc.record({
    kind: fc.constant('mutated' as const),
    at: fc.nat(good.body.length - 1),
    bit: fc.nat(7),
    cut: fc.nat(3),
  })
  const header = fc.record({ kind: fc.constant('header' as const), name: headerName, value: headerValue })
  return fc.oneof(parts, mutated, header, rawBytes(good))
}

/** Raw requests: mutated at any byte, head and framing included, or no HTTP at all. */
function rawBytes(good: Signed): fc.Arbitrary<Shape> {
  const lines = Object.entries({ ...good.headers, 'content-length': String(good.body.length), host: 'x' })
  const head = `POST /webhooks HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  const whole = Buffer.concat([Buffer.from(head), good.body])
  const edit = fc.record({
    at: fc.nat(whole.length - 1),
    drop: fc.nat(4),
    insert: fc.uint8Array({ maxLength: 6 }),
  })
  const edited = fc
    .array(edit, { minLength: 1, maxLength: 4 })
    .map((edits) =>
      edits.reduce<Buffer>(
        (bytes, { at, drop, insert }) =>
          Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + drop)]),
        whole,
      ),
    )
  const framing = fc
    .tuple(
      fc.constantFrom('POST', 'GET', 'HEAD', 'TRACE', 'QUERY', 'PURGE', 'post', 'CONNECT'),
      fc.constantFrom(
        '/webhooks',
        '/webhooks?x',
        '/webhooks/../webhooks',
        '*',
        'http://x/webhooks',
        '/web%hooks',
      ),
      fc.constantFrom(
        'content-length: 5',
        'content-length: 5, 5',
        'transfer-encoding: chunked',
        'content-length: -1',
        'transfer-encoding: gzip, chunked',
        'expect: 200-maybe',
        'upgrade: websocket\r\nconnection: upgrade',
      ),
      fc.uint8Array({ maxLength: 30 }),
    )
    .map(([method, path, line, tail]) =>
      Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: x\r\n${line}\r\n\r\n`), tail]),
    )
  return fc
    .oneof(edited, framing, fc.uint8Array({ maxLength: 200 }).map(Buffer.from))
    .map((bytes) => ({ kind: 'bytes', bytes }))
}

/** Sends one shape. Resolves to the whole response as text, or to an empty text if the connection closed without one. */
async function fire(url: string, shape: Shape, good: Signed): Promise<{ answer: string; isSigned: boolean }> {
  if (shape.kind === 'bytes') {
    return { answer: await fireBytes(url, shape.bytes), isSigned: true }
  }
  const { status, headers, text } =
    shape.kind === 'parts'
      ? await request(url, shape.parts)
      : shape.kind === 'header'
        ? await deliver(url, good, { headers: { [shape.name]: shape.value } })
        : await deliver(url, { ...good, body: mutate(good.body, shape) })
  const isSigned = shape.kind === 'header'
  return { answer: `HTTP/1.1 ${status}\n${JSON.stringify(headers)}\n${text}`, isSigned }
}

function mutate(body: Buffer, { at, bit, cut }: { at: number; bit: number; cut: number }): Buffer {
  const copy = Buffer.from(body.subarray(0, body.length - cut))
  if (at < copy.length) {
    copy[at] = (copy[at] as number) ^ (1 << bit)
  } else {
    copy[0] = (copy[0] as number) ^ (1 << bit)
  }
  return copy
}

/** Half-closes the connection after the bytes, so that the server knows the end. */
async function fireBytes(url: string, bytes: Uint8Array): Promise<string> {
  const connection = new RawConnection(url)
  connection.socket.end(bytes)
  try {
    return await connection.untilClosed()
  } finally {
    connection.destroy()
  }
}

function checkAnswer(answer: string, good: Signed): void {
  for (const [, status] of answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) {
    expect([status, Number(status) < 500 || status === '501' || status === '505']).toEqual([status, true])
  }
  const signature = good.headers['service-signature']?.split('v1=')[1] as string
  for (const leak of [secret, signature, 'node_modules', 'at async', '.ts:']) {
    expect(answer).not.toContain(leak)
  }
}

async function fireFor(
  seconds: number,
  name: string,
  shapes: fc.Arbitrary<Shape>,
  check: (shape: Shape) => Promise<void>,
): Promise<number> {
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
  console.log(`${name}: FUZZ_SEED=${seed}`)
  let count = 0
  const property = fc.asyncProperty(fc.array(shapes, { minLength: 1, maxLength: 8 }), async (batch) => {
    count += batch.length
    await Promise.all(batch.map(check))
  })
  // Run in rounds. `interruptAfterTimeLimit` would cut off a run that hangs, which is the most important one.
  const until = Date.now() + seconds * 1000
  for (let round = 0; Date.now() < until; round++) {
    await fc.assert(property, { seed: seed + round, numRuns: 20, endOnFailure: true })
  }
  return count
}
