import { gzipSync } from 'node:zlib'
import { describeExchange } from '../../http/describe.js'
import type { Case, Finding } from '../case.js'
import type { Endpoint } from '../endpoint.js'
import { about, fail, isAcknowledged, mustRefuseOrKeep, pass, shouldRefuse, worst } from '../judge.js'

const answer400 =
  'Answer 400, or keep the body for a person to look at and answer 200. A 5xx makes the sender deliver it again.'

/** Bodies that are not an event although their signature is right, and bodies that are too large or in another form. */
export const bodies: readonly Case[] = [
  {
    id: 'empty-body',
    title: 'a signed empty body does not break the receiver',
    rule: 'I27',
    sends: 'no bytes at all, with their right signature',
    advice: answer400,
    run: (endpoint) => signedBodies(endpoint, [['no bytes', '']]),
  },
  {
    id: 'not-json',
    title: 'a signed body that is not JSON does not break the receiver',
    rule: 'I27',
    sends: 'cut off JSON and plain text, with their right signatures',
    advice: answer400,
    run: (endpoint) =>
      signedBodies(endpoint, [
        ['cut off JSON', '{"id":"evt_1","type":'],
        ['plain text', 'transfer settled'],
      ]),
  },
  {
    id: 'not-an-event',
    title: 'signed JSON that is no event does not break the receiver',
    rule: 'R60',
    sends: 'null, an array, an object without an id, and data that is null, with their right signatures',
    advice: `Check the envelope before you use it. ${answer400}`,
    run: (endpoint) =>
      signedBodies(endpoint, [
        ['null', 'null'],
        ['an array', '[]'],
        ['no id', '{"type":"transfer.settled","createdAt":"2026-01-01T00:00:00Z","data":{}}'],
        [
          'data null',
          '{"id":"evt_n","type":"transfer.settled","createdAt":"2026-01-01T00:00:00Z","data":null}',
        ],
      ]),
  },
  {
    id: 'not-utf8',
    title: 'a signed body that is not UTF-8 is not decoded as text',
    rule: 'I27',
    sends: 'an event with a byte that UTF-8 does not have, with its right signature',
    advice: 'Decode with new TextDecoder("utf-8", { fatal: true }). Buffer.toString replaces bytes silently.',
    async run(endpoint) {
      const { event, body } = await endpoint.event()
      const at = body.indexOf('"data":{') + '"data":{'.length
      const field = Buffer.from([...Buffer.from('"note":"caf'), 0xe9, ...Buffer.from('",')])
      const bytes = Buffer.concat([body.subarray(0, at), field, body.subarray(at)])
      return mustRefuseOrKeep(await endpoint.deliver(await endpoint.sign(bytes, event.id)))
    },
  },
  {
    id: 'deep-body',
    title: 'deeply nested JSON does not break the receiver',
    rule: 'I27',
    sends: 'a signed event with 20,000 nested arrays in its data',
    advice: 'Bound the depth of what you parse, or do not walk it recursively.',
    async run(endpoint) {
      const { event, body } = await endpoint.event()
      const nested = `"deep":${'['.repeat(20_000)}${']'.repeat(20_000)},`
      const text = body.toString().replace('"data":{', () => `"data":{${nested}`)
      const exchange = await endpoint.deliver(await endpoint.sign(text, event.id))
      return isAcknowledged(exchange) ? pass(exchange, 'it was read') : shouldRefuse(exchange)
    },
  },
  {
    id: 'too-large',
    title: 'a huge body from an unknown sender is not read completely',
    rule: 'G29',
    sends: '32 MiB with a wrong signature, in chunks',
    advice: 'Stop reading at a limit such as 1 MiB and answer 413, before you verify.',
    run: async (endpoint) => refusesEarly(endpoint),
  },
  {
    id: 'wrong-content-type',
    title: 'a content type other than JSON is rejected',
    rule: 'I5',
    sends: 'a signed event as text/plain',
    advice: 'Answer 415. The receiver does no harm otherwise.',
    run: (endpoint) => withType(endpoint, 'text/plain', shouldRefuse),
  },
  {
    id: 'compressed-body',
    title: 'a compressed body is rejected',
    rule: 'I5',
    sends: 'a gzip body with the signature of what is in it',
    advice: 'Answer 415. Unpacking before verifying lets anyone turn a small upload into a large one.',
    async run(endpoint) {
      const { headers, body } = await endpoint.event()
      const packed = gzipSync(body)
      const request = { headers: { ...headers, 'content-encoding': 'gzip' }, body: packed }
      return shouldRefuse(await endpoint.request(request, packed))
    },
  },
]

async function signedBodies(
  endpoint: Endpoint,
  variants: readonly (readonly [name: string, body: string])[],
): Promise<Finding> {
  const findings: Finding[] = []
  for (const [name, body] of variants) {
    const exchange = await endpoint.deliver(await endpoint.sign(body, 'evt_unreadable'))
    findings.push(about(name, mustRefuseOrKeep(exchange)))
  }
  return worst(findings)
}

async function withType(endpoint: Endpoint, type: string, judge: typeof shouldRefuse): Promise<Finding> {
  const { headers, body } = await endpoint.event()
  return judge(await endpoint.request({ headers: { ...headers, 'content-type': type }, body }, body))
}

/** More bytes than the buffers of both sockets can store. So if the upload ends, the receiver has read it. */
const largeBytes = 32 * 1024 * 1024

async function refusesEarly(endpoint: Endpoint): Promise<Finding> {
  const { headers } = await endpoint.event()
  const piece = Buffer.alloc(65_536, 0x20)
  const pieces = Array<Uint8Array>(largeBytes / piece.length).fill(piece)
  const exchange = await endpoint.request({ headers, body: { pieces, declaredBytes: undefined } })
  if (exchange.kind === 'none') {
    const isClosed = exchange.code === 'ECONNRESET' || exchange.code === 'EPIPE'
    if (!isClosed) {
      return fail(exchange, 'no response arrived')
    }
    const received = describeExchange(exchange)
    return { verdict: 'warn', received, why: 'a sender cannot tell a closed connection from an outage' }
  }
  if (isAcknowledged(exchange)) {
    return fail(exchange, 'it was acknowledged')
  }
  const found = shouldRefuse(exchange)
  if (found.verdict !== 'pass' || exchange.status === 413) {
    return found
  }
  return exchange.isUploaded ? fail(exchange, 'all 32 MiB were read before it was rejected') : found
}
