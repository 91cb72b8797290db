import { body, now, secret, sign } from '../delivery.js'
import type { Fault } from './fault.js'

export const timeFaults: readonly Fault[] = [
  [
    'a delivery that is a second too old',
    { now: now + 301 },
    {
      timestamp_too_old:
        't is 2027-01-15T08:00:00Z, 5 minutes 1 second before 2027-01-15T08:05:01Z; the tolerance is 300 s.',
    },
  ],
  [
    'a delivery that is a second too early',
    { now: now - 301 },
    {
      timestamp_ahead:
        't is 2027-01-15T08:00:00Z, 5 minutes 1 second after 2027-01-15T07:54:59Z; the tolerance is 300 s.',
    },
  ],
  [
    'a time in milliseconds',
    { header: sign(body, secret.secret, `${now}123`) },
    { timestamp_in_milliseconds: 't has 13 digits, not 10.' },
  ],
  [
    'milliseconds that are signed as seconds',
    { header: sign(body, secret.secret, `${now}123`, `${now}.`) },
    { timestamp_in_milliseconds: 't has 13 digits, not 10.' },
  ],
  [
    'seconds that are signed as milliseconds',
    { header: sign(body, secret.secret, now, `${now}000.`) },
    {
      timestamp_in_milliseconds:
        'The signed content begins with the time in milliseconds; the header has another unit.',
    },
  ],
  [
    'an old time in milliseconds',
    { header: sign(body, secret.secret, `${now}123`), now: now + 999 },
    {
      timestamp_in_milliseconds: 't has 13 digits, not 10.',
      timestamp_too_old:
        't is 2027-01-15T08:00:00Z, 16 minutes 39 seconds before 2027-01-15T08:16:39Z; the tolerance is 300 s.',
    },
  ],
]
