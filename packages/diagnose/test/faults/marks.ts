import { body, digest, good, now, secret, sign } from '../delivery.js'
import { type Fault, inBase64, signed } from './fault.js'

const raw = digest(body, secret.secret, `${now}.`)
const hex = raw.toString('hex')
const withSecret = (text: string) => ({ secret: { ...secret, secret: text } })
const other = { name: 'OLD', secret: 'whsec_of_another_endpoint' }

/** What copying and storing does to a secret and to a header. */
export const markFaults: readonly Fault[] = [
  [
    'white space before the secret',
    withSecret(`\n${secret.secret}`),
    { secret_white_space: 'WEBHOOK_SECRET begins with white space.' },
  ],
  [
    'a space after the secret',
    withSecret(`${secret.secret} `),
    { secret_white_space: 'WEBHOOK_SECRET ends with white space.' },
  ],
  [
    'a carriage return after the secret',
    withSecret(`${secret.secret}\r`),
    { secret_white_space: 'WEBHOOK_SECRET ends with a line break.' },
  ],
  [
    'single quotation marks around the secret',
    withSecret(`'${secret.secret}'`),
    { secret_quoted: 'WEBHOOK_SECRET begins and ends with the same quotation mark.' },
  ],
  [
    'quotation marks and a line break',
    withSecret(` "${secret.secret}"\n`),
    {
      secret_white_space: 'WEBHOOK_SECRET has white space before and after it.',
      secret_quoted: 'WEBHOOK_SECRET begins and ends with the same quotation mark.',
    },
  ],
  [
    'a line break of Windows in the sender’s secret',
    { header: sign(body, `${secret.secret}\r\n`, now) },
    { secret_line_break_missing: 'The key is WEBHOOK_SECRET followed by a line break (\\r\\n).' },
  ],
  [
    'a line break in a secret that is not ASCII',
    { ...withSecret('zoë\u0007'), header: sign(body, 'zoë\u0007\n', now) },
    { secret_line_break_missing: 'The key is WEBHOOK_SECRET followed by a line break (\\n).' },
  ],
  [
    'a line break in another secret',
    { otherSecrets: [secret, other], header: sign(body, `${other.secret}\n`, now) },
    {
      other_secret: 'It is OLD, not WEBHOOK_SECRET.',
      secret_line_break_missing: 'The key is OLD followed by a line break (\\n).',
    },
  ],
  [
    'another secret without its prefix',
    { otherSecrets: [other], header: sign(body, other.secret.slice(6), now) },
    { other_secret: 'It is OLD, not WEBHOOK_SECRET.', secret_prefix_kept: 'The key is OLD without whsec_.' },
  ],
  [
    'a header in single quotation marks',
    { header: ` '${good.header}' ` },
    { header_quoted: 'The value begins and ends with a quotation mark.' },
  ],
  [
    'a header with its name and an equals sign',
    { header: `service-signature =\t${good.header}` },
    { header_name_included: 'The value begins with “Service-Signature:”.' },
  ],
  [
    'a line of a file of settings',
    { header: `SERVICE-SIGNATURE="${good.header}"` },
    {
      header_name_included: 'The value begins with “Service-Signature:”.',
      header_quoted: 'The value begins and ends with a quotation mark.',
    },
  ],
  [
    'a header with a space in its signature',
    { header: good.header.replace(hex, `${hex.slice(0, 9)} ${hex.slice(9)}`) },
    { header_white_space: 'The value was broken into several lines, or has a space in the middle.' },
  ],
  [
    'a header with spaces on both sides of the comma',
    { header: good.header.replace(',', ' , ') },
    {
      header_white_space:
        'It has white space beside a comma. Its sender wrote it so, or two headers were joined.',
    },
  ],
  [
    'an empty signature beside one of another body',
    { header: `v1=,${good.header}`, body: Buffer.concat([body, Buffer.from('\n')]) },
    {
      body_line_break_added:
        'The given body ends with \\n, the signed one does not. First difference at byte 224; 225 bytes given, 224 signed.',
    },
  ],
  [
    'sixteen empty signatures beside the right one',
    { header: good.header + ',v1='.repeat(16) },
    { header_oversized: 'It has 144 characters.' },
  ],
  [
    'a header with a part without a tag',
    { header: `=7,${good.header}` },
    { header_malformed_part: 'A part of it is empty, or is not tag=value.' },
  ],
  [
    'a time after its signature, twice',
    { header: `v1=${hex},t=${now},t=${now},v1=${hex}` },
    { header_repeated: 'It has more than one t, or arrived more than once.' },
  ],
  [
    'an empty header beside two that are equal',
    { header: ['', good.header, good.header] },
    { header_repeated: 'It has more than one t, or arrived more than once.' },
  ],
  [
    'a header of 4097 characters',
    { header: `${good.header},v2=`.padEnd(4097, 'x') },
    { header_oversized: 'It has 4097 characters.' },
  ],
  [
    'seventeen signatures',
    { header: `${good.header}${`,v1=${hex}`.repeat(16)}` },
    { header_oversized: 'It has 1168 characters.' },
  ],
  [
    'a time in microseconds',
    { header: sign(body, secret.secret, `${now}123456`) },
    { timestamp_in_milliseconds: 't has 16 digits, not 10.' },
  ],
  [
    'a time of 13 digits that is too early',
    { header: sign(body, secret.secret, `${now}999`), now: now - 301 },
    {
      timestamp_in_milliseconds: 't has 13 digits, not 10.',
      timestamp_ahead:
        't is 2027-01-15T08:00:00Z, 5 minutes 1 second after 2027-01-15T07:54:59Z; the tolerance is 300 s.',
    },
  ],
  [
    'a signature in base64 in the other alphabet',
    { header: `t=${now},v1=${inBase64(raw).replaceAll('+', '-').replaceAll('/', '_')}` },
    { signature_encoding: 'v1 is written in base64url, not in hex.' },
  ],
  [
    'a signature in base64 that lost a character',
    { header: `t=${now},v1=${inBase64(raw).slice(0, 42)}` },
    {
      signature_encoding: 'v1 is written in base64, not in hex.',
      signature_cut: 'v1 has 42 characters, and the right one begins with them.',
    },
  ],
  [
    'a signature in base64 without padding',
    { header: `t=${now},v1=${inBase64(raw).slice(0, 43)}` },
    { signature_encoding: 'v1 is written in base64, not in hex.' },
  ],
  [
    'a signature in base64 that a log cut',
    { header: `t=${now},v1=${inBase64(raw).slice(0, 20)}...` },
    {
      signature_encoding: 'v1 is written in base64, not in hex.',
      signature_cut: 'v1 has 20 characters, and the right one begins with them.',
    },
  ],
  [
    'a signature in upper case that a log cut',
    { header: `t=${now},v1=${hex.slice(0, 20).toUpperCase()}…` },
    { signature_cut: 'v1 has 20 characters, and the right one begins with them.' },
  ],
  [
    'the header of a delivery without a name',
    {
      header: signed('other'),
      otherDeliveries: [{ body: Buffer.from('other'), header: undefined }],
    },
    { header_from_another_delivery: 'The signature belongs to the body of another delivery.' },
  ],
  [
    'the body of a delivery without a name',
    {
      header: signed('lost'),
      otherDeliveries: [{ body: Buffer.from('other'), header: good.header }],
    },
    { header_from_another_delivery: 'The header of another delivery belongs to this body.' },
  ],
  [
    'a signed id of another delivery',
    {
      scheme: { content: 'id.timestamp.body' },
      header: sign(body, secret.secret, now, `evt_7.${now}.`),
      otherDeliveries: [{ name: 'seven', body: Buffer.from('x'), header: undefined, id: 'evt_7' }],
    },
    { event_id_mismatch: 'The signature is made with the id of seven, not with Service-Event-Id.' },
  ],
  [
    'a signed id of a delivery without a name',
    {
      scheme: { content: 'id.timestamp.body' },
      header: sign(body, secret.secret, now, `evt_7.${now}.`),
      otherDeliveries: [{ body: Buffer.from('x'), header: undefined, id: 'evt_7' }],
    },
    {
      event_id_mismatch: 'The signature is made with the id of another delivery, not with Service-Event-Id.',
    },
  ],
]
