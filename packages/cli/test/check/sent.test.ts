import { expect, it } from 'vitest'
import { record } from './recorder.js'

/** What each case finds at a receiver that acknowledges everything, and what it sends. See recorder.ts for the words. */
it.each<[string, string, readonly string[]]>([
  ['valid-camel-case', 'pass 200', ['POST t,v1=right']],
  [
    'valid-snake-case',
    'pass 200',
    [
      'POST t,v1=right {"id":"EVT","type":"transfer.settled","environment":"production","product":"mobile_money","created_at":"TIME","data":{"transfer_id":"TR","status":"settled","rail":"mobile_money","ledger_state":"matched"}}',
    ],
  ],
  [
    'known-types',
    'pass transfer.settled: 200',
    [
      'POST t,v1=right',
      'POST t,v1=right {"id":"EVT","type":"transfer.failed","environment":"production","createdAt":"TIME","data":{"transferId":"TR","status":"failed","rail":"mobile_money","failureCode":"recipient_unreachable","failureReason":"The network did not confirm the payout"}}',
      'POST t,v1=right {"id":"EVT","type":"ledger.matched","environment":"production","createdAt":"TIME","data":{"transferId":"TR","ledgerState":"matched","journalEntryId":"JE"}}',
      'POST t,v1=right {"id":"EVT","type":"approval.updated","environment":"production","createdAt":"TIME","data":{"approvalId":"APR","transferId":"TR","status":"approved"}}',
    ],
  ],
  [
    'unknown-type',
    'pass evidence.exported: 200',
    [
      'POST t,v1=right {"id":"EVT","type":"evidence.exported","environment":"production","createdAt":"TIME","data":{}}',
      'POST t,v1=right {"id":"EVT","type":"constructor","environment":"production","createdAt":"TIME","data":{}}',
    ],
  ],
  [
    'unknown-fields',
    'pass 200',
    [
      'POST t,v1=right {"livemode":false,"corridor":{"legs":[1,2]},"__proto__":{"isAdmin":true},"id":"EVT","type":"transfer.settled","environment":"production","createdAt":"TIME","data":{TAIL',
    ],
  ],
  [
    'old-event',
    'pass 200',
    [
      'POST t,v1=right {"id":"EVT","type":"transfer.settled","environment":"production","createdAt":"TIME-4320m","data":{TAIL',
    ],
  ],
  ['within-tolerance', 'pass 150 s ago: 200', ['POST t-150,v1=right', 'POST t+150,v1=right']],
  ['id-header-missing', 'pass 200', ['POST t,v1=right without id']],
  [
    'several-signatures',
    'pass right one first: 200',
    ['POST t,v1=right,v1=wrong', 'POST t,v1=wrong,v1=right'],
  ],
  ['other-tags', 'pass 200', ['POST t,v0=abc,v1=right,v2=def']],
  ['rotated-secret', 'pass 200', ['POST t,v1=old']],
  ['number-forms', 'pass 200', ['POST t,v1=right HEAD "forms":[1.0,1e2,-0,10.50],TAIL']],
  ['escapes', 'pass 200', ['POST t,v1=right HEAD "forms":"caf\\u00e9 1\\/2 \\u0041",TAIL']],
  ['unicode', 'pass 200', ['POST t,v1=right HEAD "note":"café 日本語 🏦",TAIL']],
  [
    'white-space',
    'pass 200',
    [
      'POST t,v1=right {\r\n  "id": "EVT",\r\n  "type": "transfer.settled",\r\n  "environment": "production",\r\n  "createdAt": "TIME",\r\n  "data": {\r\n    "transferId": "TR",\r\n    "status": "settled",\r\n    "rail": "mobile_money",\r\n    "ledgerState": "matched"\r\n  }\r\n}\n',
    ],
  ],
  ['nul-character', 'pass 200', ['POST t,v1=right HEAD "note":"a\\u0000b\\ud800c",TAIL']],
  [
    'big-numbers',
    'pass 200; whether the numbers were rounded cannot be seen from outside',
    ['POST t,v1=right HEAD "amountMinor":12345678901234567890,"limit":1e400,TAIL'],
  ],
  ['unsigned', 'fail 200; it was acknowledged', ['POST unsigned']],
  ['wrong-secret', 'fail 200; it was acknowledged', ['POST t,v1=wrong']],
  ['tampered-body', 'fail 200; it was acknowledged', ['POST t,v1=wrong HEAD "addedLater":true,TAIL']],
  ['tampered-time', 'fail 200; it was acknowledged', ['POST t,v1=wrong']],
  [
    'reserialized-body',
    'fail 200; it was acknowledged',
    [
      'POST t,v1=wrong {\n  "id": "EVT",\n  "type": "transfer.settled",\n  "environment": "production",\n  "createdAt": "TIME",\n  "data": {\n    "transferId": "TR",\n    "status": "settled",\n    "rail": "mobile_money",\n    "ledgerState": "matched"\n  }\n}',
    ],
  ],
  ['added-newline', 'fail 200; it was acknowledged', ['POST t,v1=wrong HEAD TAIL\n']],
  ['stale', 'fail 200; it was acknowledged', ['POST t-360,v1=right']],
  ['future', 'fail 200; it was acknowledged', ['POST t+360,v1=right']],
  ['id-mismatch', 'fail 200; it was acknowledged', ['POST t,v1=right other id']],
  [
    'sandbox-event',
    'fail 200; it was acknowledged',
    [
      'POST t,v1=right {"id":"EVT","type":"transfer.settled","environment":"sandbox","createdAt":"TIME","data":{TAIL',
    ],
  ],
  ['repeated-header', 'fail 200; it was acknowledged', ['POST t,v1=wrong and t-360,v1=right']],
  ['two-timestamps', 'fail 200; it was acknowledged', ['POST t-360,v1=right,t']],
  [
    'malformed-header',
    'fail an empty header: 200; it was acknowledged',
    [
      'POST',
      'POST garbage',
      'POST ,=,=,',
      'POST v1=wrong',
      'POST t=,v1=wrong',
      'POST t=now,v1=wrong',
      'POST negative t,v1=wrong',
    ],
  ],
  ['no-signature-in-header', 'fail t alone: 200; it was acknowledged', ['POST t', 'POST t,v1=']],
  ['other-tag-alone', 'fail v0: 200; it was acknowledged', ['POST t,v0=right', 'POST t,v2=right']],
  [
    'short-signature',
    'fail one character: 200; it was acknowledged',
    ['POST t,v1=1 characters', 'POST t,v1=62 characters'],
  ],
  ['undecodable-signature', 'fail other characters: 200; it was acknowledged', ['POST t,v1=64 characters']],
  ['long-header', 'fail many signatures: 200; it was acknowledged', ['POST t,90 x v1=wrong']],
  [
    'empty-body',
    'warn no bytes: 200; it was acknowledged; unless it is kept somewhere, it is lost',
    ['POST t,v1=right id evt_unreadable'],
  ],
  [
    'not-json',
    'warn cut off JSON: 200; it was acknowledged; unless it is kept somewhere, it is lost',
    [
      'POST t,v1=right id evt_unreadable {"id":"evt_1","type":',
      'POST t,v1=right id evt_unreadable transfer settled',
    ],
  ],
  [
    'not-an-event',
    'warn null: 200; it was acknowledged; unless it is kept somewhere, it is lost',
    [
      'POST t,v1=right id evt_unreadable null',
      'POST t,v1=right id evt_unreadable []',
      'POST t,v1=right id evt_unreadable {"type":"transfer.settled","createdAt":"2026-01-01T00:00:00Z","data":{}}',
      'POST t,v1=right id evt_unreadable {"id":"evt_n","type":"transfer.settled","createdAt":"2026-01-01T00:00:00Z","data":null}',
    ],
  ],
  [
    'not-utf8',
    'warn 200; it was acknowledged; unless it is kept somewhere, it is lost',
    ['POST t,v1=right HEAD "note":"café",TAIL'],
  ],
  ['deep-body', 'pass 200; it was read', ['POST t,v1=right 40270 bytes']],
  ['too-large', 'fail 200; it was acknowledged', ['POST chunked t,v1=wrong id EVT 33554432 bytes']],
  ['wrong-content-type', 'warn 200; it was acknowledged', ['POST text/plain t,v1=right']],
  ['compressed-body', 'warn 200; it was acknowledged', ['POST gzip t,v1=right packed']],
  [
    'other-methods',
    'warn GET: 200; it was acknowledged',
    ['GET no type unsigned without id', 'HEAD no type unsigned without id', 'PUT t,v1=right'],
  ],
  ['content-type-parameters', 'pass 200', ['POST application/json; charset=utf-8 t,v1=right']],
  ['chunked', 'pass 200', ['POST chunked t,v1=right']],
  ['expect-continue', 'pass 200', ['POST 100-continue t,v1=right']],
  ['aborted-upload', 'pass 200', ['2 x cut off', 'POST t,v1=right']],
  ['connection-reuse', 'pass 200', ['POST unsigned without id', 'POST t,v1=right']],
  ['duplicate', 'pass delivery 1: 200', ['3 x POST t,v1=right']],
  ['eight-at-once', 'pass 8 x 200', ['9 x POST t,v1=right']],
  [
    'other-content',
    'warn 200; it was acknowledged; the other content was dropped, or processed',
    [
      'POST t,v1=right',
      'POST t,v1=right HEAD "transferId":"tr_other","status":"settled","rail":"mobile_money","ledgerState":"matched","correction":1}}',
    ],
  ],
  [
    'out-of-order',
    'pass ledger.matched: 200',
    [
      'POST t,v1=right {"id":"EVT","type":"ledger.matched","environment":"production","createdAt":"TIME","data":{"transferId":"TR","ledgerState":"matched","journalEntryId":"JE"}}',
      'POST t,v1=right {"id":"EVT","type":"transfer.settled","environment":"production","createdAt":"TIME-1m","data":{TAIL',
    ],
  ],
  [
    'during-work',
    'skip 200; the first delivery was answered too soon; give an event that takes a second with --event',
    ['POST t,v1=right'],
  ],
  [
    'effect-once',
    'fail the probe answered no number: 200; the probe does not work',
    ['GET no type unsigned without id'],
  ],
  [
    'effect-of-duplicates',
    'fail the probe answered no number: 200; the probe does not work',
    ['GET no type unsigned without id'],
  ],
  [
    'effect-of-eight-at-once',
    'fail the probe answered no number: 200; the probe does not work',
    ['GET no type unsigned without id'],
  ],
  [
    'effect-of-other-content',
    'fail the probe answered no number: 200; the probe does not work',
    ['GET no type unsigned without id'],
  ],
  [
    'effect-of-other-id-header',
    'fail the probe answered no number: 200; the probe does not work',
    ['GET no type unsigned without id'],
  ],
  [
    'effect-of-refused',
    'fail the probe answered no number: 200; the probe does not work',
    ['POST unsigned', 'POST t,v1=wrong', 'POST t-360,v1=right', '2 x GET no type unsigned without id'],
  ],
])('the case %s: %s', async (id, finding, sent) => {
  expect(await record(id)).toEqual({ finding, sent })
})
