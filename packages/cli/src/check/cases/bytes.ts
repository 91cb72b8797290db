import type { Case, Finding } from '../case.js'
import type { Endpoint } from '../endpoint.js'
import { mustAcknowledge, mustSurvive } from '../judge.js'

const verifyRawBytes =
  'Verify the bytes as they arrive. Mount the receiver before any body parser, and never serialize the body again.'

/** Valid bodies that change when someone parses and serializes them, or decodes them in pieces. */
export const bytes: readonly Case[] = [
  {
    id: 'number-forms',
    title: 'numbers verify as they were written',
    rule: 'R51',
    sends: 'an event whose data holds 1.0, 1e2, -0 and 10.50',
    advice: verifyRawBytes,
    run: (endpoint) => withField(endpoint, '"forms":[1.0,1e2,-0,10.50]'),
  },
  {
    id: 'escapes',
    title: 'escapes verify as they were written',
    rule: 'R51',
    sends: 'an event whose data holds \\u00e9, \\/ and \\u0041',
    advice: verifyRawBytes,
    run: (endpoint) => withField(endpoint, String.raw`"forms":"caf\u00e9 1\/2 \u0041"`),
  },
  {
    id: 'unicode',
    title: 'characters of several bytes verify, even when a packet ends inside one',
    rule: 'R51',
    sends: 'an event with é, 日本語 and an emoji, one byte at a time around them',
    advice: 'Collect the chunks as bytes and join them with Buffer.concat; never add them to a string.',
    async run(endpoint) {
      const { body, headers } = await bodyWithField(endpoint, '"note":"café 日本語 🏦"')
      const start = body.indexOf('caf')
      const end = body.indexOf('"', start)
      const inside = Array.from(body.subarray(start, end), (byte) => Uint8Array.of(byte))
      const pieces = [body.subarray(0, start), ...inside, body.subarray(end)]
      const upload = { pieces, declaredBytes: body.length, pauseSeconds: 0.005 }
      return mustAcknowledge(await endpoint.request({ headers, body: upload }, body))
    },
  },
  {
    id: 'white-space',
    title: 'white space verifies as it was written',
    rule: 'R51',
    sends: 'a pretty-printed event with CRLF and a newline at its end',
    advice: verifyRawBytes,
    async run(endpoint) {
      const { event, body } = await endpoint.event()
      const text = JSON.stringify(JSON.parse(body.toString()), undefined, 2).replaceAll('\n', '\r\n')
      return mustAcknowledge(await endpoint.deliver(await endpoint.sign(`${text}\n`, event.id)))
    },
  },
  {
    id: 'nul-character',
    title: 'characters that databases reject do not break the receiver',
    rule: 'I27',
    sends: 'an event whose data holds \\u0000 and half of a surrogate pair',
    advice: 'Store the raw bytes. A jsonb column of Postgres rejects \\u0000.',
    run: (endpoint) => withField(endpoint, String.raw`"note":"a\u0000b\ud800c"`, mustSurvive),
  },
  {
    id: 'big-numbers',
    title: 'numbers that JavaScript cannot represent exactly do not break the receiver',
    rule: 'I27',
    sends: 'an event whose data holds 12345678901234567890 and 1e400',
    advice: 'Reject such a number with 400, or read it as text.',
    run: (endpoint) =>
      withField(endpoint, '"amountMinor":12345678901234567890,"limit":1e400', (exchange) =>
        mustSurvive(exchange, 'whether the numbers were rounded cannot be seen from outside'),
      ),
  },
]

async function withField(
  endpoint: Endpoint,
  field: string,
  judge: (exchange: Awaited<ReturnType<Endpoint['deliver']>>) => Finding = mustAcknowledge,
): Promise<Finding> {
  return judge(await endpoint.deliver(await bodyWithField(endpoint, field)))
}

/** A signed event with one more field in data, in exactly these characters. */
async function bodyWithField(endpoint: Endpoint, field: string) {
  const { event, body } = await endpoint.event()
  const text = body.toString().replace('"data":{', () => `"data":{${field},`)
  return endpoint.sign(text, event.id)
}
