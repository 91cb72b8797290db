import { body, digest, event, good, now, secret, sign } from '../delivery.js'
import { type Fault, inBase64, signed } from './fault.js'

const otherBody = Buffer.from(JSON.stringify({ ...event, id: 'evt_2' }))
/** A header whose signature has only so many digits. */
const cutTo = (digits: number) => good.header.slice(0, good.header.indexOf('v1=') + 3 + digits)
const stranger = { name: 'second.http', body: otherBody, header: signed(otherBody), id: 'evt_2' }

export const headerFaults: readonly Fault[] = [
  [
    'a header with a line break, and with a space beside its comma',
    { header: `${good.header.replace(',', ', ').slice(0, -8)}\n${good.header.slice(-8)}` },
    { header_white_space: 'The value was broken into several lines, or has a space in the middle.' },
  ],
  [
    'an id that does not match',
    { id: 'evt_9' },
    { event_id_mismatch: 'The header says evt_9, the body says evt_1.' },
  ],
  [
    'a signed id that does not match',
    {
      scheme: { content: 'id.timestamp.body' },
      header: sign(body, secret.secret, now, `evt_1.${now}.`),
      id: 'evt_9',
    },
    { event_id_mismatch: 'The signature is made with the id in the body, not with Service-Event-Id.' },
  ],
  [
    'the header of another delivery',
    { header: stranger.header, otherDeliveries: [stranger] },
    { header_from_another_delivery: 'The signature belongs to the body of second.http.' },
  ],
  [
    'the header of another delivery, with its id',
    { header: stranger.header, id: 'evt_2', otherDeliveries: [stranger] },
    { header_from_another_delivery: 'The signature belongs to the body of second.http.' },
  ],
  [
    'the body of another delivery',
    { header: sign('lost', secret.secret, now), otherDeliveries: [{ ...stranger, header: good.header }] },
    { header_from_another_delivery: 'The header of second.http belongs to this body.' },
  ],
  [
    'a header that was sent twice',
    { header: [good.header, good.header] },
    { header_repeated: 'It has more than one t, or arrived more than once.' },
  ],
  [
    'a header that a proxy joined',
    { header: `${good.header}, ${good.header}` },
    { header_repeated: 'It has more than one t, or arrived more than once.' },
  ],
  [
    'a header in quotation marks',
    { header: `"${good.header}"` },
    { header_quoted: 'The value begins and ends with a quotation mark.' },
  ],
  [
    'a header with its name',
    { header: `Service-Signature: ${good.header}` },
    { header_name_included: 'The value begins with “Service-Signature:”.' },
  ],
  [
    'a header with a line break',
    { header: `${good.header}\r\n` },
    { header_white_space: 'The value was broken into several lines, or has a space in the middle.' },
  ],
  [
    'a header that was wrapped',
    { header: `${good.header.slice(0, 40)}\n  ${good.header.slice(40)}` },
    { header_white_space: 'The value was broken into several lines, or has a space in the middle.' },
  ],
  [
    'a header with a space after the comma',
    { header: good.header.replace(',', ', ') },
    {
      header_white_space:
        'It has white space beside a comma. Its sender wrote it so, or two headers were joined.',
    },
  ],
  [
    'a header with tabs before the comma',
    { header: good.header.replace(',', '\t\t,') },
    {
      header_white_space:
        'It has white space beside a comma. Its sender wrote it so, or two headers were joined.',
    },
  ],
  [
    'a signature that lost its end',
    { header: good.header.slice(0, -1) },
    { signature_cut: 'v1 has 63 characters, and the right one begins with them.' },
  ],
  [
    'a signature that a log cut',
    { header: `${good.header.slice(0, 40)}…` },
    { signature_cut: 'v1 has 24 characters, and the right one begins with them.' },
  ],
  [
    'a signature of 12 digits, as verify prints it',
    { header: `${cutTo(12)}...` },
    { signature_cut: 'v1 has 12 characters, and the right one begins with them.' },
  ],
  [
    'a signature in base64 that was cut',
    { header: `t=${now},v1=${inBase64(digest(body, secret.secret, `${now}.`)).slice(0, 30)}` },
    {
      signature_encoding: 'v1 is written in base64, not in hex.',
      signature_cut: 'v1 has 30 characters, and the right one begins with them.',
    },
  ],
  [
    'a signature that was cut, over another body',
    { header: good.header.slice(0, 60), body: Buffer.concat([body, Buffer.from('\n')]) },
    {
      body_line_break_added:
        'The given body ends with \\n, the signed one does not. First difference at byte 224; 225 bytes given, 224 signed.',
      signature_cut: 'v1 has 44 characters, and the right one begins with them.',
    },
  ],
  [
    'a header with a part that is no tag',
    { header: `${good.header},` },
    { header_malformed_part: 'A part of it is empty, or is not tag=value.' },
  ],
  [
    'a header of 64 KiB',
    { header: `${good.header},v2=${'x'.repeat(65_536)}` },
    { header_oversized: 'It has 65620 characters.' },
  ],
  [
    'a header with too many signatures',
    { header: good.header + `,v1=${'0'.repeat(64)}`.repeat(16) },
    { header_oversized: 'It has 1168 characters.' },
  ],
]
