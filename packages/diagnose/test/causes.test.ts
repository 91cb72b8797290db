import { describe, expect, it } from 'vitest'
import { type CauseCode, causes, type DiagnoseInput, diagnose } from '../src/index.js'
import { body, decodedKey, digest, event, good, now, secret, sign } from './delivery.js'

/** The delivery after the fault, and the causes that must be named for it. */
type Fault = readonly [name: string, change: Partial<DiagnoseInput>, expected: readonly CauseCode[]]

const text = body.toString()
const pretty = JSON.stringify(event, undefined, 2)
const signed = (bytes: Uint8Array | string) => sign(bytes, secret.secret, now)
const other = { name: 'WEBHOOK_SECRET_OLD', secret: 'whsec_of_another_endpoint' }
const otherBody = Buffer.from(JSON.stringify({ ...event, id: 'evt_2' }))
const stranger = { name: 'second.http', body: otherBody, header: signed(otherBody), id: 'evt_2' }
const sorted = JSON.stringify(event, (_, value) =>
  typeof value === 'object'
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value,
)
const inBase64 = (bytes: Buffer) => bytes.toString('base64')

const secretFaults: readonly Fault[] = [
  [
    'another secret of those given',
    { header: sign(body, other.secret, now), otherSecrets: [other] },
    ['other_secret'],
  ],
  [
    'a line break after the secret',
    { secret: { ...secret, secret: `${secret.secret}\n` } },
    ['secret_white_space'],
  ],
  [
    'spaces around the secret',
    { secret: { ...secret, secret: ` ${secret.secret} ` } },
    ['secret_white_space'],
  ],
  [
    'quotation marks around the secret',
    { secret: { ...secret, secret: `"${secret.secret}"` } },
    ['secret_quoted'],
  ],
  [
    'a line break in the sender’s secret',
    { header: sign(body, `${secret.secret}\n`, now) },
    ['secret_line_break_missing'],
  ],
  [
    'a prefix that the sender strips',
    { header: sign(body, secret.secret.slice(6), now) },
    ['secret_prefix_kept'],
  ],
  ['a prefix that the receiver strips', { scheme: { keyPrefix: 'whsec_' } }, ['secret_prefix_stripped']],
  [
    'a prefix that the secret lost',
    { secret: { ...secret, secret: secret.secret.slice(6) } },
    ['secret_prefix_missing'],
  ],
  [
    'a key in base64',
    { header: sign(body, decodedKey, now), secret: { ...secret, secret: inBase64(decodedKey) } },
    ['key_encoding'],
  ],
  [
    'a key in hex',
    { header: sign(body, decodedKey, now), secret: { ...secret, secret: decodedKey.toString('hex') } },
    ['key_encoding'],
  ],
  [
    'a key in base64 after a prefix',
    { header: sign(body, decodedKey, now) },
    ['secret_prefix_kept', 'key_encoding'],
  ],
  ['a key that is not hex, as configured', { scheme: { key: 'hex' } }, ['key_encoding']],
]

const schemeFaults: readonly Fault[] = [
  ['a body that is signed alone', { header: sign(body, secret.secret, now, '') }, ['signed_content']],
  [
    'an id that is signed too',
    { header: sign(body, secret.secret, now, `evt_1.${now}.`) },
    ['signed_content'],
  ],
  ['an id that is not signed', { scheme: { content: 'id.timestamp.body' } }, ['signed_content']],
  [
    'a signature in base64',
    { header: `t=${now},v1=${inBase64(digest(body, secret.secret, `${now}.`))}` },
    ['signature_encoding'],
  ],
  [
    'a signature in base64url',
    { header: `t=${now},v1=${digest(body, secret.secret, `${now}.`).toString('base64url')}` },
    ['signature_encoding'],
  ],
  [
    'a signature in hex where base64 is configured',
    { scheme: { encoding: 'base64' } },
    ['signature_encoding'],
  ],
]

const timeFaults: readonly Fault[] = [
  ['a delivery that is a second too old', { now: now + 301 }, ['timestamp_too_old']],
  ['a delivery that is a second too early', { now: now - 301 }, ['timestamp_ahead']],
  [
    'a time in milliseconds',
    { header: sign(body, secret.secret, `${now}123`) },
    ['timestamp_in_milliseconds'],
  ],
  [
    'milliseconds that are signed as seconds',
    { header: sign(body, secret.secret, `${now}123`, `${now}.`) },
    ['timestamp_in_milliseconds'],
  ],
  [
    'seconds that are signed as milliseconds',
    { header: sign(body, secret.secret, now, `${now}000.`) },
    ['timestamp_in_milliseconds'],
  ],
  [
    'an old time in milliseconds',
    { header: sign(body, secret.secret, `${now}123`), now: now + 999 },
    ['timestamp_in_milliseconds', 'timestamp_too_old'],
  ],
]

const headerFaults: readonly Fault[] = [
  ['an id that does not match', { id: 'evt_9' }, ['event_id_mismatch']],
  [
    'a signed id that does not match',
    {
      scheme: { content: 'id.timestamp.body' },
      header: sign(body, secret.secret, now, `evt_1.${now}.`),
      id: 'evt_9',
    },
    ['event_id_mismatch'],
  ],
  [
    'the header of another delivery',
    { header: stranger.header, otherDeliveries: [stranger] },
    ['header_from_another_delivery'],
  ],
  [
    'the body of another delivery',
    { header: sign('lost', secret.secret, now), otherDeliveries: [{ ...stranger, header: good.header }] },
    ['header_from_another_delivery'],
  ],
  ['a header that was sent twice', { header: [good.header, good.header] }, ['header_repeated']],
  ['a header that a proxy joined', { header: `${good.header}, ${good.header}` }, ['header_repeated']],
  ['a header in quotation marks', { header: `"${good.header}"` }, ['header_quoted']],
  ['a header with its name', { header: `Service-Signature: ${good.header}` }, ['header_name_included']],
  ['a header with a line break', { header: `${good.header}\r\n` }, ['header_white_space']],
  [
    'a header that was wrapped',
    { header: `${good.header.slice(0, 40)}\n  ${good.header.slice(40)}` },
    ['header_white_space'],
  ],
  ['a header with a part that is no tag', { header: `${good.header},` }, ['header_malformed_part']],
  ['a header of 64 KiB', { header: `${good.header},v2=${'x'.repeat(65_536)}` }, ['header_oversized']],
  [
    'a header with too many signatures',
    { header: good.header + `,v1=${'0'.repeat(64)}`.repeat(16) },
    ['header_oversized'],
  ],
]

const php = text.replaceAll('/', '\\/').replaceAll('ë', '\\u00eb')
const go = text.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')
const dotnet = text.replaceAll('<', '\\u003C').replaceAll('>', '\\u003E').replaceAll('ë', '\\u00EB')

/** What was signed, and what has become of it. */
const change = (from: Uint8Array | string, to: Uint8Array | string): Partial<DiagnoseInput> => ({
  header: signed(from),
  body: Buffer.from(to),
})

const bodyFaults: readonly Fault[] = [
  ['minified JSON, pretty-printed by two', change(text, pretty), ['body_reformatted']],
  ['JSON indented by two, minified', change(pretty, text), ['body_reformatted']],
  [
    'JSON indented by four, minified',
    change(JSON.stringify(event, undefined, 4), text),
    ['body_reformatted'],
  ],
  [
    'JSON indented by tabs, minified',
    change(JSON.stringify(event, undefined, '\t'), text),
    ['body_reformatted'],
  ],
  [
    'JSON of Python, minified',
    change(text.replaceAll('":', '": ').replaceAll(',"', ', "'), text),
    ['body_reformatted'],
  ],
  ['keys that a map in Go sorted', change(text, sorted), ['body_keys_reordered']],
  ['sorted keys, put in order', change(sorted, text), ['body_keys_reordered']],
  ['escapes of PHP, taken away', change(php, text), ['body_escapes_changed']],
  ['escapes of Go, taken away', change(go, text), ['body_escapes_changed']],
  ['escapes of .NET, taken away', change(dotnet, text), ['body_escapes_changed']],
  ['escaped slashes, taken away', change(text.replaceAll('/', '\\/'), text), ['body_escapes_changed']],
  ['plain characters, escaped', change(text, text.replaceAll('ë', '\\u00eb')), ['body_escapes_changed']],
  ['cents that JavaScript dropped', change(text.replace('10.5', '10.50'), text), ['body_numbers_rewritten']],
  [
    'a number that was rewritten by Java',
    change(text, text.replace('10.5', '1.05E1')),
    ['body_numbers_rewritten'],
  ],
  [
    'whole numbers that lost .0',
    change('{"id":"evt_1","n":10.0}', '{"id":"evt_1","n":10}'),
    ['body_numbers_rewritten'],
  ],
  [
    'a key that is given twice',
    change('{"id":"evt_1","n":2}', '{"id":"evt_1","n":1,"n":2}'),
    ['body_reserialized'],
  ],
  ['a line break that an editor added', change(text, `${text}\n`), ['body_line_break_added']],
  ['a line break of Windows that an editor added', change(text, `${text}\r\n`), ['body_line_break_added']],
  ['a line break that a shell removed', change(`${text}\n`, text), ['body_line_break_removed']],
  ['spaces that were put around the body', change('x', ' \t x '), ['body_white_space_trimmed']],
  ['LF that became CRLF', change(pretty, pretty.replaceAll('\n', '\r\n')), ['body_line_endings']],
  ['CRLF that became LF', change('a\r\nb', 'a\nb'), ['body_line_endings']],
  ['a byte order mark that was added', change(text, `\ufeff${text}`), ['body_bom_added']],
  ['a byte order mark that was removed', change(`\ufeff${text}`, text), ['body_bom_removed']],
  [
    'UTF-8 that was read as latin1 and written as UTF-8',
    change(body, Buffer.from(body.toString('latin1'))),
    ['body_latin1'],
  ],
  ['UTF-8 that was written as latin1', change(body, Buffer.from(text, 'latin1')), ['body_latin1']],
  ['latin1 that was written as UTF-8', change(Buffer.from(text, 'latin1'), body), ['body_latin1']],
]

const severalFaults: readonly Fault[] = [
  [
    'a secret with a line break, and a body that was pretty-printed',
    { body: Buffer.from(pretty), secret: { ...secret, secret: `${secret.secret}\n` } },
    ['secret_white_space', 'body_reformatted'],
  ],
  [
    'a body that was pretty-printed, too late',
    { body: Buffer.from(pretty), now: now + 7200 },
    ['body_reformatted', 'timestamp_too_old'],
  ],
  [
    'a body that was pretty-printed, with another id',
    { body: Buffer.from(pretty), id: 'evt_9' },
    ['body_reformatted', 'event_id_mismatch'],
  ],
  [
    'JSON of Python, sorted and escaped, after JavaScript',
    change(sorted.replaceAll('":', '": ').replaceAll(',"', ', "').replaceAll('ë', '\\u00eb'), text),
    ['body_reformatted', 'body_keys_reordered', 'body_escapes_changed'],
  ],
  [
    'the scheme of svix',
    {
      header: `t=${now},v1=${inBase64(digest(body, decodedKey, `evt_1.${now}.`))}`,
    },
    ['signed_content', 'secret_prefix_kept', 'key_encoding', 'signature_encoding'],
  ],
]

const faults = [
  ...secretFaults,
  ...schemeFaults,
  ...timeFaults,
  ...headerFaults,
  ...bodyFaults,
  ...severalFaults,
]

describe('a diagnosis', () => {
  it('accepts a good delivery without a cause', async () => {
    const diagnosis = await diagnose(good)
    expect(diagnosis).toMatchObject({ isAccepted: true, causes: [], search: { tried: 0, leftOut: [] } })
    expect(diagnosis.code).toBeUndefined()
  })

  it.each(faults)('names the cause of %s', async (_, fault, expected) => {
    const diagnosis = await diagnose({ ...good, ...fault })
    expect(diagnosis.causes.map(({ code }) => code)).toEqual(expected)
    expect(diagnosis.isAccepted).toBe(false)
    for (const { code, sentence, evidence, fix } of diagnosis.causes) {
      expect({ sentence, fix }).toEqual({ sentence: causes[code].sentence, fix: causes[code].fix })
      expect(evidence).toMatch(/\.$/)
    }
  })

  it('is tested with every cause that there is', () => {
    const tested = new Set(faults.flatMap(([, , expected]) => expected))
    expect([...tested].sort()).toEqual(Object.keys(causes).sort())
  })

  it.each(
    faults.filter(
      ([, , expected]) => !expected.some((code) => /timestamp_(too_old|ahead)|event_id/.test(code)),
    ),
  )('names no cause for %s where the signature is of other bytes', async (_, fault) => {
    const header = `t=${now},v1=${digest('other', 'bytes', '').toString('hex')}`
    const diagnosis = await diagnose({ ...good, ...fault, header, otherDeliveries: [] })
    expect(diagnosis).toMatchObject({ isAccepted: false, causes: [] })
  })
})
