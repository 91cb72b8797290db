import { body, decodedKey, now, secret, sign } from '../delivery.js'
import { type Fault, inBase64 } from './fault.js'

const other = { name: 'WEBHOOK_SECRET_OLD', secret: 'whsec_of_another_endpoint' }

export const secretFaults: readonly Fault[] = [
  [
    'another secret of those given',
    { header: sign(body, other.secret, now), otherSecrets: [other] },
    { other_secret: 'It is WEBHOOK_SECRET_OLD, not WEBHOOK_SECRET.' },
  ],
  [
    'a line break after the secret',
    { secret: { ...secret, secret: `${secret.secret}\n` } },
    { secret_white_space: 'WEBHOOK_SECRET ends with a line break.' },
  ],
  [
    'spaces around the secret',
    { secret: { ...secret, secret: ` ${secret.secret} ` } },
    { secret_white_space: 'WEBHOOK_SECRET has white space before and after it.' },
  ],
  [
    'quotation marks around the secret',
    { secret: { ...secret, secret: `"${secret.secret}"` } },
    { secret_quoted: 'WEBHOOK_SECRET begins and ends with the same quotation mark.' },
  ],
  [
    'a line break in the sender’s secret',
    { header: sign(body, `${secret.secret}\n`, now) },
    { secret_line_break_missing: 'The key is WEBHOOK_SECRET followed by a line break (\\n).' },
  ],
  [
    'a prefix that the sender strips',
    { header: sign(body, secret.secret.slice(6), now) },
    { secret_prefix_kept: 'The key is WEBHOOK_SECRET without whsec_.' },
  ],
  [
    'a prefix that the receiver strips',
    { scheme: { keyPrefix: 'whsec_' } },
    { secret_prefix_stripped: 'The key is the whole of WEBHOOK_SECRET.' },
  ],
  [
    'a prefix that the secret lost',
    { secret: { ...secret, secret: secret.secret.slice(6) } },
    { secret_prefix_missing: 'The key is whsec_ followed by WEBHOOK_SECRET.' },
  ],
  [
    'a key in base64',
    { header: sign(body, decodedKey, now), secret: { ...secret, secret: inBase64(decodedKey) } },
    { key_encoding: 'The key is WEBHOOK_SECRET decoded as base64, not as utf8.' },
  ],
  [
    'a key in hex',
    { header: sign(body, decodedKey, now), secret: { ...secret, secret: decodedKey.toString('hex') } },
    { key_encoding: 'The key is WEBHOOK_SECRET decoded as hex, not as utf8.' },
  ],
  [
    'a key in base64 after a prefix',
    { header: sign(body, decodedKey, now) },
    {
      secret_prefix_kept: 'The key is WEBHOOK_SECRET without whsec_.',
      key_encoding: 'The key is WEBHOOK_SECRET decoded as base64, not as utf8.',
    },
  ],
  [
    'a key that is not hex, as configured',
    { scheme: { key: 'hex' } },
    { key_encoding: 'The key is WEBHOOK_SECRET decoded as utf8, not as hex.' },
  ],
]
