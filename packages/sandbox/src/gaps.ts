/** A detail that the service interface does not publish, and what the sandbox does in its place. */
export interface Gap {
  readonly id: `G${number}` | `I${number}`
  readonly topic: string
  readonly assumption: string
  readonly reason: string
}

const gap = (id: Gap['id'], topic: string, assumption: string, reason: string): Gap => ({
  id,
  topic,
  assumption,
  reason,
})

/**
 * Every gap that shows in the sandbox. G: the interface says "not shown". I: the interface is silent.
 * `docs/gaps.md` is generated from this table.
 */
export const gaps: readonly Gap[] = [
  gap(
    'G1',
    'Hosts, environment addresses',
    'The sandbox listens on `127.0.0.1:4010`.',
    'The interface publishes no host name.',
  ),
  gap(
    'G2',
    'Fields of a wallet',
    '`id`, `object`, `owner`, `currency`, `status` (`active`), `balance.available`, `balance.pending`, `createdAt`. Money is a string with two fraction digits. `--response-case snake` writes the keys in snake_case.',
    'Transfer shape A writes money in this form.',
  ),
  gap(
    'G3',
    'Which transfer shape is authoritative',
    'It accepts both. The type of `destination` decides. It rejects a mixture with 422 and the field in `param`. With `--shape a` or `--shape b` it accepts only one.',
    'The examples of the interface show both. Strict validation finds errors in clients.',
  ),
  gap(
    'G4',
    'The stored transfer',
    '`id`, `object`, `status`, `rail`, `ledgerState`, `source`, `destination`, `amount` as it was given, `amountMinor`, `currency`, `metadata`, `failure`, `createdAt`, `updatedAt`.',
    'It contains all data of the events, so a receiver can read the state of the resource.',
  ),
  gap(
    'G5',
    'The stored subscription, its id and secret',
    '`whe_<id>`, `status`, `createdAt` and a secret. Only the response to the creation shows the secret.',
    'Senders of webhooks commonly show a secret once.',
  ),
  gap(
    'G6',
    'Ledger, approvals, treasury, compliance, policy, assets, evidence exports',
    'Ledger entries and approvals can be read. The response of the others is 501.',
    'A program could rely on an invented resource that the service does not have.',
  ),
  gap(
    'G7',
    'Whether `failed` is a status',
    '`failed` is a status.',
    'The event type `transfer.failed` exists.',
  ),
  gap(
    'G8',
    'Transitions of a transfer',
    '`pending` to `processing` to `settled` or `failed`; `pending` to `pending_approval` to `processing` or `rejected`. Any other transition is rejected with 409. `--transitions` replaces them.',
    'These are the fewest transitions with which every event can occur.',
  ),
  gap(
    'G9',
    'All values of status and ledger state',
    '`pending`, `pending_approval`, `processing`, `settled`, `failed`, `rejected`; ledger `pending`, `matched`, `exception`.',
    'The interface names approvals and exception queues.',
  ),
  gap('G10', 'Response of `POST /v1/wallets`', '201 with the wallet and `Location`.', 'Usual for HTTP APIs.'),
  gap(
    'G11',
    'Response of `POST /v1/transfers`',
    '201 with the transfer in status `pending`.',
    'The transfer is stored before the response is sent.',
  ),
  gap(
    'G12',
    'Response of `POST /webhook-subscriptions`',
    '201 with the subscription and its secret.',
    'The reason is the same as for G5.',
  ),
  gap(
    'G13',
    'Prefix of the subscription path',
    '`/webhook-subscriptions` and `/v1/webhook-subscriptions` both work. With `--prefix v1` or `--prefix none` only one works.',
    'The interface writes the path without the prefix.',
  ),
  gap(
    'G14',
    'Paths of GET requests',
    '`/v1/wallets`, `/v1/transfers`, `/v1/events` and the subscriptions, as a list and by id; `/v1/wallets/{id}/balance`.',
    'The interface names the capability to read balances.',
  ),
  gap(
    'G15',
    'Pages',
    '`?limit=` 1 to 100 (20) and `?cursor=`; `{ data, hasMore, nextCursor }`, the newest first.',
    'A cursor stays correct when new records are added.',
  ),
  gap(
    'G17',
    'Scopes and permissions',
    '`sk_sandbox_local` may do everything. `sk_sandbox_readonly` may read; a write is rejected with 403.',
    'This is enough to test permitted and forbidden requests.',
  ),
  gap(
    'G18',
    'The bytes that are signed',
    'The characters of `t`, a dot, the bytes of the body. `--scheme` changes it.',
    'Stripe uses the same form of header and signs these bytes.',
  ),
  gap(
    'G19',
    'Encoding of the signature',
    '64 lower-case hex digits. `--scheme` changes it.',
    'The reason is the same as for G18.',
  ),
  gap(
    'G20',
    'Which envelope is sent',
    'camelCase. The field `envelope` of a subscription, or `--envelope snake`, selects the other.',
    'A receiver can get both.',
  ),
  gap(
    'G21',
    'All event types',
    'State changes emit the four types that the interface names. You can emit any other type by hand.',
    'The list is open.',
  ),
  gap(
    'G22',
    'Data of the other event types',
    '`transfer.failed`: `transferId`, `status`, `rail`, `ledgerState`, `failureCode`, `failureReason`. `ledger.matched`: `transferId`, `ledgerState`, `journalEntryId`. `approval.updated`: `approvalId`, `transferId`, `status`.',
    'The published `transfer.settled` uses the same field names.',
  ),
  gap(
    'G23',
    'Which operation emits which event',
    'A transfer emits `transfer.settled` and then `ledger.matched`, or `transfer.failed`; each change of an approval emits `approval.updated`. Wallets emit nothing. `--emissions` selects the types.',
    'This follows the descriptions of the types in the interface.',
  ),
  gap(
    'G24',
    'Errors of the API',
    'Problem documents (RFC 9457) with `type`, `title`, `status`, `detail`, `code`, `param`, `requestId`; 500 and 503 included.',
    'RFC 9457 is the standard for errors of HTTP APIs.',
  ),
  gap(
    'G25',
    'An Idempotency-Key with another body, or while its first request is still running',
    '422 `idempotency_key_reused`; 409 `idempotency_key_in_use` with `Retry-After`. Key order and white space do not matter. `--idempotency-conflict 409` or `400` changes the 422.',
    'This follows the IETF draft for the header.',
  ),
  gap(
    'G26',
    'Retries of deliveries',
    '`fast`: after 1, 2, 5, 10 and 30 s. `standard`: after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h. Then `exhausted`. `--jitter` moves each pause by up to 10 % either way.',
    '`fast` is for interactive work. `standard` is the schedule of Standard Webhooks.',
  ),
  gap(
    'G28',
    'Rate limits',
    'None. With `--rate 10/s` a request above the limit gets 429 with `Retry-After`.',
    'A client can be tested against it.',
  ),
  gap(
    'G29',
    'Bounds',
    'Amounts up to 9,999,999,999,999.99. Texts of up to 255 characters. Up to 50 metadata keys of 40 characters, with values of 500. Bodies of 256 KiB and 64 levels. An Idempotency-Key of 1 to 255 visible ASCII characters, kept for 24 h. 10,000 subscriptions.',
    'These limits are large enough for tests.',
  ),
  gap(
    'G30',
    'How a deprecation is announced',
    'Nothing is announced. `--deprecation 2027-01-31` sends the header `Deprecation` (RFC 9745) with every response of the API.',
    'A client can be tested against it.',
  ),
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
