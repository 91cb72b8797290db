import { body, decodedKey, now, secret, sign } from '../delivery.js'
import { type Fault, inBase64 } from './fault.js'

const other = { name: 'WEBHOOK_SECRET_OLD', secret: 'whsec_of_another_endpoint' }

export const secretFaults: readonly Fault[] = [
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
