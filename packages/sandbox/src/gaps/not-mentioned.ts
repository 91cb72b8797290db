import { type Gap, gap } from './gap.js'

/** Details that the interface does not mention. */
export const notMentioned: readonly Gap[] = [
  gap(
    'I5',
    'Content types and encodings of requests',
    '`application/json` and `+json`, in UTF-8. A request with `Content-Encoding` is rejected with 415.',
    'The bytes that are signed or compared must be the bytes that were sent.',
  ),
  gap(
    'I6',
    'Timeout and redirects of a delivery',
    '15 s; redirects are not followed and count as failed.',
    'This is common among senders.',
  ),
  gap(
    'I7',
    'A receiver that responds with 410, or never acknowledges',
    'After 410 its subscription is disabled. `--disable-after 5` also disables it after five exhausted deliveries in a row.',
    '410 means that the resource is gone. Many senders disable a subscription after repeated failures.',
  ),
  gap(
    'I8',
    'Whether a retry is signed again',
    'Each retry is signed again, with a new `t`.',
    'Otherwise a late retry would be stale.',
  ),
  gap(
    'I9',
    'Whether a replay keeps the id',
    'A replay keeps the id and the bytes of the body. With `newId` it sends a copy of the event with a new id.',
    'Receivers store event ids.',
  ),
  gap(
    'I11',
    'Wildcards and unknown types in `events`',
    '`*` and `prefix.*` work. Any literal type is accepted; the header `Sandbox-Warning` names one that is not known. An empty list is rejected with 422.',
    'The list of types is open.',
  ),
  gap(
    'I12',
    'Unit of the amount in shape B',
    'Major units, as in shape A. `--shape-b-unit minor` changes it.',
    'The interface mentions no other unit.',
  ),
  gap(
    'I13',
    'Currency of wallet and transfer',
    'They must be the same. Otherwise the response is 422 `currency_mismatch`.',
    'A wallet has one currency.',
  ),
  gap(
    'I14',
    'Insufficient funds',
    '422 if the wallet has too little money when the transfer is created. A transfer on `sim_fail_funds` fails later.',
    'A client must handle both cases.',
  ),
  gap(
    'I15',
    'Scope of an Idempotency-Key',
    'Key, credential, method and path. Every response is stored, except 401, 403, 409, 413, 429, and 500 and above.',
    'These statuses do not show what the request did.',
  ),
  gap('I16', 'Header of a repeated response', '`Idempotency-Replayed: true`.', 'Tests can check it.'),
  gap(
    'I17',
    'Values of `environment` and `product`',
    '`sandbox`; `mobile_money`, `digital_banking` or `stablecoins`. Each product line has its own ordinary rails.',
    'These are the product lines of the interface.',
  ),
  gap(
    'I19',
    'A missing or a wrong credential',
    '401 for both, with `WWW-Authenticate: Bearer`.',
    'RFC 6750 defines this.',
  ),
  gap(
    'I20',
    'HTTPS during development',
    '`http:` works on loopback, unless `--strict-https`. Other hosts need `--allow-remote`.',
    'The interface requires HTTPS in pilot and production.',
  ),
  gap(
    'I27',
    'A duplicate key in a JSON object',
    'The last value wins, and `Sandbox-Warning` names the key. A body with more than 64 levels is rejected with 400.',
    '`JSON.parse` does the same.',
  ),
]
