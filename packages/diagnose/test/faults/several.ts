import { body, decodedKey, digest, now, secret } from '../delivery.js'
import { change, type Fault, inBase64 } from './fault.js'
import { pretty, sorted, text } from './json.js'

export const severalFaults: readonly Fault[] = [
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
