import { body, now, secret, sign } from '../delivery.js'
import type { Fault } from './fault.js'

export const timeFaults: readonly Fault[] = [
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
