import { sqliteStore } from '../../src/stores/sqlite.js'
import { newSharedFile } from './sqlite-files.js'
import { newEvent, nothing, open } from './sqlite-rig.js'

export type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>

/** A verb with arguments that it takes, and the names by which an error calls its arguments or their parts. */
export type VerbCase = readonly [
  on: Methods,
  verb: string,
  args: readonly unknown[],
  names: Readonly<Record<string, string>>,
]

export const { inbox } = sqliteStore(open(newSharedFile()))
const events = inbox as never as Methods
const audit = { reason: 'a test', actor: 'a test' }
const at = { endpoint: 'a' }
const found = { code: 'invalid_json', bodyHash: 'h', body: new Uint8Array([1]) }
const seen = { state: 'dead', generation: 0 }

export const eventVerbs: readonly VerbCase[] = [
  [events, 'accept', [newEvent(), nothing], { '0': 'an event', '0.id': 'the id of an event' }],
  [events, 'read', ['k'], { '0': 'key' }],
  [
    events,
    'list',
    [{ ...at, limit: 1, order: 'oldest', bodies: true, after: undefined }],
    { '0': 'a query', '0.limit': 'limit', '0.order': 'order', '0.bodies': 'bodies', '0.after': 'after' },
  ],
  [
    events,
    'list',
    [{ ...at, state: 'dead', type: 't', group: 'g', resource: 'r', root: 'e', key: 'k', text: 'x' }],
    {
      '0.state': 'state',
      '0.type': 'type',
      '0.group': 'group',
      '0.resource': 'resource',
      '0.root': 'root',
      '0.key': 'key',
      '0.text': 'text',
      '0.since': 'since',
      '0.until': 'until',
    },
  ],
  [
    events,
    'due',
    [1, 'a', { onlyTypes: ['t'], exceptTypes: ['t'], exceptResources: ['r'] }],
    {
      '0': 'limit',
      '1': 'endpoint',
      '2.onlyTypes.0': 'onlyTypes',
      '2.exceptTypes.0': 'exceptTypes',
      '2.exceptResources.0': 'exceptResources',
    },
  ],
  [events, 'nextForResource', ['k'], { '0': 'key' }],
  [events, 'postpone', ['k', 1, 'an error'], { '0': 'key', '1': 'retryAfterSeconds', '2': 'error' }],
  [events, 'markDead', ['k', 'an error'], { '0': 'key', '1': 'error' }],
  [
    events,
    'requeue',
    ['k', audit, nothing],
    { '0': 'key', '1.reason': 'reason', '1.actor': 'actor', '3': 'state', '4': 'copies' },
  ],
  [
    events,
    'quarantine',
    [{ ...at, ...found, eventId: 'evt_1' }],
    {
      '0': 'a delivery',
      '0.endpoint': 'endpoint',
      '0.code': 'code',
      '0.bodyHash': 'bodyHash',
      '0.eventId': 'eventId',
      '0.body': 'body',
    },
  ],
  [
    events,
    'acceptDead',
    [newEvent(), 'invalid_data', 'a reason'],
    { '0': 'an event', '1': 'code', '2': 'reason' },
  ],
  [
    events,
    'quarantined',
    [{ ...at, limit: 1, after: 0, code: 'invalid_json', eventId: 'evt_1', order: 'oldest', bodies: false }],
    {
      '0': 'a query',
      '0.limit': 'limit',
      '0.after': 'after',
      '0.code': 'code',
      '0.eventId': 'eventId',
      '0.order': 'order',
      '0.bodies': 'bodies',
    },
  ],
  [events, 'readQuarantined', ['k'], { '0': 'key' }],
  [
    events,
    'discard',
    ['k', audit, 1, undefined],
    { '0': 'key', '1': 'reason', '2': 'undoSeconds', '3': 'state' },
  ],
  [events, 'discard', ['k', audit, 1, seen], { '3.state': 'state', '3.generation': 'generation' }],
  [events, 'pruneQuarantine', [1, 1], { '0': 'retentionSeconds', '1': 'limit' }],
]
