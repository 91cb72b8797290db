import { body, digest, event, good, now, secret, sign } from '../delivery.js'
import { type Fault, inBase64, signed } from './fault.js'

const otherBody = Buffer.from(JSON.stringify({ ...event, id: 'evt_2' }))
/** A header whose signature has only so many digits. */
const cutTo = (digits: number) => good.header.slice(0, good.header.indexOf('v1=') + 3 + digits)
const stranger = { name: 'second.http', body: otherBody, header: signed(otherBody), id: 'evt_2' }

export const headerFaults: readonly Fault[] = [
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
  [
    'a header with a space after the comma',
    { header: good.header.replace(',', ', ') },
    ['header_white_space'],
  ],
  [
    'a header with tabs before the comma',
    { header: good.header.replace(',', '\t\t,') },
    ['header_white_space'],
  ],
  ['a signature that lost its end', { header: good.header.slice(0, -1) }, ['signature_cut']],
  ['a signature that a log cut', { header: `${good.header.slice(0, 40)}…` }, ['signature_cut']],
  ['a signature of 12 digits, as verify prints it', { header: `${cutTo(12)}...` }, ['signature_cut']],
  [
    'a signature in base64 that was cut',
    { header: `t=${now},v1=${inBase64(digest(body, secret.secret, `${now}.`)).slice(0, 30)}` },
    ['signature_encoding', 'signature_cut'],
  ],
  [
    'a signature that was cut, over another body',
    { header: good.header.slice(0, 60), body: Buffer.concat([body, Buffer.from('\n')]) },
    ['body_line_break_added', 'signature_cut'],
  ],
  ['a header with a part that is no tag', { header: `${good.header},` }, ['header_malformed_part']],
  ['a header of 64 KiB', { header: `${good.header},v2=${'x'.repeat(65_536)}` }, ['header_oversized']],
  [
    'a header with too many signatures',
    { header: good.header + `,v1=${'0'.repeat(64)}`.repeat(16) },
    ['header_oversized'],
  ],
]
