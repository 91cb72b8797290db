import { body, decodedKey, digest, now, secret } from '../delivery.js'
import { change, type Fault, inBase64 } from './fault.js'
import { pretty, sorted, text } from './json.js'

export const severalFaults: readonly Fault[] = [
  [
    'a secret with a line break, and a body that was pretty-printed',
    { body: Buffer.from(pretty), secret: { ...secret, secret: `${secret.secret}\n` } },
    {
      secret_white_space: 'WEBHOOK_SECRET ends with a line break.',
      body_reformatted:
        'The signed JSON is minified. First difference at byte 1; 284 bytes given, 224 signed.',
    },
  ],
  [
    'a body that was pretty-printed, too late',
    { body: Buffer.from(pretty), now: now + 7200 },
    {
      body_reformatted:
        'The signed JSON is minified. First difference at byte 1; 284 bytes given, 224 signed.',
      timestamp_too_old:
        't is 2027-01-15T08:00:00Z, 2 hours before 2027-01-15T10:00:00Z; the tolerance is 300 s.',
    },
  ],
  [
    'a body that was pretty-printed, with another id',
    { body: Buffer.from(pretty), id: 'evt_9' },
    {
      body_reformatted:
        'The signed JSON is minified. First difference at byte 1; 284 bytes given, 224 signed.',
      event_id_mismatch: 'The header says evt_9, the body says evt_1.',
    },
  ],
  [
    'JSON of Python, sorted and escaped, after JavaScript',
    change(sorted.replaceAll('":', '": ').replaceAll(',"', ', "').replaceAll('ë', '\\u00eb'), text),
    {
      body_reformatted:
        'The signed JSON is on one line with a space after each colon and comma. First difference at byte 2; 224 bytes given, 248 signed.',
      body_keys_reordered: 'The signed keys are sorted by name.',
      body_escapes_changed: 'The signed strings are with \\u escapes for all but ASCII.',
    },
  ],
  [
    'the scheme of svix',
    {
      header: `t=${now},v1=${inBase64(digest(body, decodedKey, `evt_1.${now}.`))}`,
    },
    {
      signed_content: 'The signed content is id.timestamp.body, not timestamp.body.',
      secret_prefix_kept: 'The key is WEBHOOK_SECRET without whsec_.',
      key_encoding: 'The key is WEBHOOK_SECRET decoded as base64, not as utf8.',
      signature_encoding: 'v1 is written in base64, not in hex.',
    },
  ],
]
