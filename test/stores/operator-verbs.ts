import { eventVerbs, inbox, type Methods, type VerbCase } from './event-verbs.js'
import { newEvent, nothing } from './sqlite-rig.js'

const audit = { reason: 'a test', actor: 'a test' }
const at = { endpoint: 'a' }
const plan = { id: 'p', endpoint: 'a', action: 'replay', where: {} }
const newRun = { id: 'r', plan: 'p', perSecond: 1, canary: 0 }
const step = { most: 1, leaseSeconds: 1, undoSeconds: 1 }
const settled = { state: 'done', isPastCanary: true, leaseSeconds: 1 }
const beat = { ...at, id: 'w', process: 'p', version: '1', limited: { types: [], resources: [] } }
const buckets = { ...at, buckets: 1 }
const page = { limit: 1, after: 0 }

const { bulk, flow, failures, statistics, auditLog } = inbox as never as Record<
  'bulk' | 'flow' | 'failures' | 'statistics' | 'auditLog',
  Methods
>
const parts = { bulk, flow, failures, statistics, auditLog }

const verbs: readonly VerbCase[] = [
  [
    bulk,
    'makePlan',
    [plan],
    {
      '0.endpoint': 'endpoint',
      '0': 'endpoint',
      '0.id': 'id',
      '0.action': 'action',
      '0.where': 'a filter',
      '0.where.text': 'text',
    },
  ],
  [bulk, 'readPlan', ['p'], { '0': 'id' }],
  [
    bulk,
    'plans',
    [{ ...at, limit: 1, startsWith: 'p' }],
    { '0': 'a query', '0.limit': 'limit', '0.startsWith': 'startsWith' },
  ],
  [
    bulk,
    'startRun',
    [newRun, audit],
    {
      '0': 'a run',
      '0.id': 'id',
      '0.plan': 'plan',
      '0.perSecond': 'perSecond',
      '0.canary': 'canary',
      '1.reason': 'reason',
      '1.actor': 'actor',
    },
  ],
  [bulk, 'readRun', ['r'], { '0': 'id' }],
  [
    bulk,
    'runs',
    [{ ...at, limit: 1, after: 'r' }],
    { '0': 'a query', '0.limit': 'limit', '0.after': 'after' },
  ],
  [bulk, 'leftAlone', ['r', page], { '0': 'id', '1': 'a query', '1.limit': 'limit', '1.after': 'after' }],
  [
    bulk,
    'applied',
    ['r', { ...page, state: 'done' }],
    { '0': 'id', '1': 'a query', '1.limit': 'limit', '1.after': 'after', '1.state': 'state' },
  ],
  [bulk, 'appliedStates', ['r'], { '0': 'id' }],
  [bulk, 'runActs', ['r'], { '0': 'id' }],
  [
    bulk,
    'changeRun',
    ['r', 'paused', audit, { state: 'running', changes: 0 }],
    {
      '0': 'id',
      '1': 'a run',
      '2': 'reason',
      '3.state': 'state',
      '3.changes': 'changes',
    },
  ],
  [bulk, 'takeRun', ['a', 'token', 1], { '0': 'endpoint', '1': 'token', '2': 'leaseSeconds' }],
  [
    bulk,
    'step',
    ['r', 'token', { ...step, skipFirst: 'full' }, nothing],
    {
      '0': 'id',
      '1': 'token',
      '2': 'options',
      '2.most': 'most',
      '2.leaseSeconds': 'leaseSeconds',
      '2.undoSeconds': 'undoSeconds',
      '2.skipFirst': 'skipFirst',
    },
  ],
  [bulk, 'canaryOutcome', ['r'], { '0': 'id' }],
  [
    bulk,
    'settleRun',
    ['r', 'token', { ...settled, note: 'a note' }],
    {
      '0': 'id',
      '1': 'token',
      '2': 'a state',
      '2.state': 'state',
      '2.leaseSeconds': 'leaseSeconds',
      '2.note': 'note',
    },
  ],
  [
    bulk,
    'discarded',
    [{ ...at, key: 'k' }, 1],
    { '0': 'a place', '0.endpoint': 'endpoint', '0.key': 'key', '1': 'limit' },
  ],
  [
    bulk,
    'undo',
    [{ ...at, run: 'r' }, audit, 1],
    { '0': 'a place', '0.endpoint': 'endpoint', '0.run': 'run', '1': 'reason', '2': 'limit' },
  ],
  [
    bulk,
    'undo',
    [{ ...at, run: 'r', seen: { state: 'done', changes: 0 } }, audit, 1],
    { '0.seen': 'the state that was seen', '0.seen.state': 'state', '0.seen.changes': 'changes' },
  ],
  [
    bulk,
    'undo',
    [{ ...at, key: 'k', seen: { kind: 'event', undoUntil: '2026-01-02T03:04:05Z' } }, audit, 1],
    {
      '0.seen': 'the time of the discard that was seen',
      '0.seen.undoUntil': 'the time of the discard that was seen',
    },
  ],
  [
    bulk,
    'acceptFrom',
    [newEvent(), { parent: 'evt_1', parentKey: 'k' }, audit, nothing],
    {
      '0': 'an event',
      '1': 'from',
      '1.parent': 'parent',
      '1.parentKey': 'parentKey',
      '1.copies': 'copies',
      '2': 'reason',
    },
  ],
  [bulk, 'acceptFrom', [newEvent(), { delivery: 'k' }, audit, nothing], { '1.delivery': 'delivery' }],
  [bulk, 'prunePlans', [1, 1], { '0': 'retentionSeconds', '1': 'limit' }],
  [bulk, 'pruneDiscarded', [1], { '0': 'limit' }],
  [flow, 'pause', [at, audit], { '0': 'a target', '0.endpoint': 'endpoint', '1': 'reason' }],
  [flow, 'pause', [{ ...at, type: 't' }, audit], { '0.type': 'name' }],
  [flow, 'pause', [{ ...at, resource: 't' }, audit], { '0.resource': 'name' }],
  [flow, 'resume', [at, audit, undefined], { '0': 'a target', '2': 'the pause that was seen' }],
  [flow, 'paused', [at], { '0': 'a query', '0.endpoint': 'endpoint' }],
  [flow, 'holds', ['a'], { '0': 'endpoint' }],
  [
    flow,
    'countFailure',
    ['a', 't', 'f', { failures: 1, retryAfterSeconds: 1 }],
    {
      '0': 'endpoint',
      '1': 'type',
      '2': 'fingerprint',
      '3': 'retryAfterSeconds',
      '3.failures': 'failures',
      '3.retryAfterSeconds': 'retryAfterSeconds',
    },
  ],
  [flow, 'closeCircuit', ['a', 't'], { '0': 'endpoint', '1': 'type' }],
  [flow, 'pruneCircuits', [1], { '0': 'unusedSeconds' }],
  [flow, 'startTrial', ['a', 't', 1], { '0': 'endpoint', '1': 'type', '2': 'seconds' }],
  [
    flow,
    'beat',
    [beat],
    {
      '0': 'a worker',
      '0.endpoint': 'endpoint',
      '0.id': 'id',
      '0.process': 'process',
      '0.version': 'version',
    },
  ],
  [flow, 'leave', ['a', 'w'], { '0': 'endpoint', '1': 'id' }],
  [flow, 'workers', ['a', 1], { '0': 'endpoint', '1': 'withinSeconds' }],
  [flow, 'versions', ['a'], { '0': 'endpoint' }],
  [flow, 'claimOf', ['k'], { '0': 'key' }],
  [flow, 'quarantineCode', ['a', { eventId: 'evt_1' }], { '0': 'endpoint', '1': 'of', '1.eventId': 'of' }],
  [flow, 'quarantineCode', ['a', { bodyHash: 'h' }], { '1.bodyHash': 'of' }],
  [
    failures,
    'groups',
    [{ ...at, limit: 1, state: 'open', empty: true }],
    { '0': 'a query', '0.state': 'state', '0.empty': 'empty', '0.limit': 'limit', '0.after': 'after' },
  ],
  [
    failures,
    'setState',
    ['a', 'g', 'open', audit, { state: 'open', changes: 0 }],
    {
      '0': 'endpoint',
      '1': 'group',
      '2': 'state',
      '3': 'reason',
      '4.state': 'state',
      '4.changes': 'changes',
    },
  ],
  [failures, 'prune', [1, 1], { '0': 'unseenSeconds', '1': 'limit' }],
  [
    statistics,
    'read',
    [{ ...buckets, bucketSeconds: 60 }],
    { '0': 'a query', '0.buckets': 'buckets', '0.bucketSeconds': 'bucketSeconds', '0.since': 'since' },
  ],
  [statistics, 'read', [{ ...buckets, since: new Date() }], { '0.since': 'since' }],
  [statistics, 'sources', ['a'], { '0': 'endpoint' }],
  [
    auditLog,
    'list',
    [{ ...at, limit: 1, after: '7', key: 'k', subject: 's', run: 'r' }],
    {
      '0': 'a query',
      '0.limit': 'limit',
      '0.after': 'after',
      '0.key': 'key',
      '0.subject': 'subject',
      '0.run': 'run',
    },
  ],
]

/** Each verb of an inbox, with arguments that it takes. `part` is the part of the inbox that has the verb. */
export const allVerbs = [...eventVerbs, ...verbs].map(([on, verb, args, names]) => ({
  part: Object.entries(parts).find(([, each]) => each === on)?.[0] ?? '',
  verb,
  args,
  names,
  call: (...given: unknown[]) => (on[verb] as Methods[string])(...given),
}))
