import { body, digest, now, secret, sign } from '../delivery.js'
import { type Fault, inBase64 } from './fault.js'

export const schemeFaults: readonly Fault[] = [
  [
    'a body that is signed alone',
    { header: sign(body, secret.secret, now, '') },
    { signed_content: 'The signed content is body, not timestamp.body.' },
  ],
  [
    'an id that is signed too',
    { header: sign(body, secret.secret, now, `evt_1.${now}.`) },
    { signed_content: 'The signed content is id.timestamp.body, not timestamp.body.' },
  ],
  [
    'an id that is not signed',
    { scheme: { content: 'id.timestamp.body' } },
    { signed_content: 'The signed content is timestamp.body, not id.timestamp.body.' },
  ],
  [
    'a signature in base64',
    { header: `t=${now},v1=${inBase64(digest(body, secret.secret, `${now}.`))}` },
    { signature_encoding: 'v1 is written in base64, not in hex.' },
  ],
  [
    'a signature in base64url',
    { header: `t=${now},v1=${digest(body, secret.secret, `${now}.`).toString('base64url')}` },
    { signature_encoding: 'v1 is written in base64url, not in hex.' },
  ],
  [
    'a signature in hex where base64 is configured',
    { scheme: { encoding: 'base64' } },
    { signature_encoding: 'v1 is written in hex, not in base64.' },
  ],
]
