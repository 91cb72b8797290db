/**
 * Measures what `parseEvent` adds to decoding the bytes and `JSON.parse`: it renames keys, checks the envelope, and finds
 * duplicate keys and rounded numbers. Covers both envelopes, with and without white space.
 *
 *     npm run bench -- parse
 */
import { parseEvent } from 'webhook-inbox'
import { snakeCaseKeys } from '../../src/testing/snake-case.js'
import { bodyOf } from './harness/bodies.js'
import { compare } from './harness/compare.js'
import { timingsWithCpu, title } from './harness/table.js'

const sizes = [200, 1024, 10_240, 102_400]
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The same event in the other envelope. */
function snakeCaseOf(body: Buffer): Buffer {
  const { createdAt, environment, data, ...rest } = JSON.parse(body.toString())
  const envelope = { ...rest, product: environment, created_at: createdAt, data: snakeCaseKeys(data) }
  return Buffer.from(JSON.stringify(envelope))
}

/** The same event with spaces between its tokens, as many serializers write it. */
function spaced(body: Buffer): Buffer {
  const text = JSON.stringify(JSON.parse(body.toString()), null, 1)
  return Buffer.from(text.replaceAll(/\n */g, ' '))
}

/** Different events, because V8 caches the result for the last string. */
const eventsOf = (make: (body: Buffer) => Buffer, bytes: number): Buffer[] =>
  Array.from({ length: 64 }, (_, n) => make(bodyOf(bytes, `evt_${String(n).padStart(16, '0')}`)))

function over(name: string, events: readonly Buffer[], read: (body: Buffer) => unknown) {
  return {
    name,
    run(times: number) {
      for (let i = 0; i < times; i++) {
        read(events[i & 63] as Buffer)
      }
    },
  }
}

title('Parsing alone')
for (const bytes of sizes) {
  const camel = eventsOf((body) => body, bytes)
  const measured = await compare([
    over('floor: decode + JSON.parse', camel, (body) => JSON.parse(utf8.decode(body))),
    over('parseEvent, camelCase', camel, parseEvent),
    over('parseEvent, snake_case', eventsOf(snakeCaseOf, bytes), parseEvent),
    over('parseEvent, with spaces', eventsOf(spaced, bytes), parseEvent),
  ])
  timingsWithCpu(`${bytes} B`, measured)
}
