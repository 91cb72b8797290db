import { expect, test } from 'vitest'
import { StoreError } from '../../src/errors.js'
import { d1Fault } from '../../src/stores/d1/d1-fault.js'
import { dynamoFault } from '../../src/stores/dynamodb/dynamo-fault.js'
import { postgresFault } from '../../src/stores/postgres/connection/postgres-fault.js'
import { sqliteFault } from '../../src/stores/sqlite/connection/sqlite-fault.js'

const state = (code: string) => Object.assign(new Error('no'), { code })
const named = (name: string) => Object.assign(new Error('no'), { name })

// A delivery, the queue and start() can meet these. Nothing repeats start().
const repeated = 'deliveries and events of the queue are tried again; repeat other calls, such as start()'
const redelivered = 'the sender delivers again; repeat other calls, such as start()'

test.each([
  ['08006', 'it is down or unreachable, or the pool has no free connection'],
  ['57P01', 'the server shuts down or starts'],
])('the advice on SQLSTATE %s is true for a delivery and for start()', (code, cause) => {
  expect(postgresFault('be asked what it promises', state(code)).message).toBe(
    `store_unavailable: Postgres could not be asked what it promises (no); likely cause: ${cause}; fix: none here, ${repeated}`,
  )
})

test('an error without an SQLSTATE has the advice on a server that is down', () => {
  const { message } = postgresFault('claim an event', new Error('connect ECONNREFUSED'))
  expect(message).toContain(`fix: none here, ${repeated}`)
})

const conflict = 'likely cause: a conflict with another transaction; fix: none needed, try again'
const migrate =
  'run migratePostgres(pool), with the schema that postgresStore has, or webhook-inbox inbox migrate'

test.each([
  [
    '08P01',
    'likely cause: a pooler has no connection free or no server, or rejects a setting of the pool; fix: more connections there, or without the setting',
  ],
  [
    '55P03',
    'likely cause: another transaction holds a lock, such as that of a handler or a migration; fix: none needed, try again',
  ],
  ['40001', conflict],
  ['40P01', conflict],
  ['40003', conflict],
  ['P2034', conflict],
  ['42P01', `likely cause: the tables are missing; fix: ${migrate}`],
  ['42703', `likely cause: the tables are older than this program; fix: ${migrate}`],
  [
    '42501',
    'likely cause: the role lacks a privilege; fix: grant SELECT, INSERT, UPDATE and DELETE on the tables',
  ],
  ['25006', 'likely cause: the server is a standby; fix: connect the pool to the primary'],
  ['23505', 'likely cause: a deferred constraint that the handler’s writes violate; fix: see cause'],
  ['53100', 'likely cause: the disk of the server is full; fix: make room'],
  ['53300', 'likely cause: max_connections is reached; fix: smaller pools, or a pooler'],
  ['53200', 'likely cause: the server has run out of a resource; fix: see the message'],
  ['28P01', 'likely cause: its user or password; fix: correct the address of the pool'],
  [
    '57014',
    'likely cause: the server has too much to do, or the question covers too many rows; fix: ask for less, such as a state or a time',
  ],
  ['22021', 'see the SQLSTATE 22021 of its cause'],
])('Postgres: the advice on SQLSTATE %s', (code, advice) => {
  expect(postgresFault('list events', state(code)).message).toBe(
    `store_unavailable: Postgres could not list events (no); ${advice}`,
  )
})

test('Postgres: the SQLSTATE may be that of a cause, and what cannot be read is no fault of the store', () => {
  const wrapped = new Error('query failed', { cause: state('42P01') })
  expect(postgresFault('list events', wrapped)).toMatchObject({ reason: 'not_migrated', cause: wrapped })
  const unreadable = Object.defineProperty(new Error('no'), 'code', {
    get() {
      throw new Error('unreadable')
    },
  })
  expect(postgresFault('list events', unreadable)).toMatchObject({ reason: 'unavailable' })
  expect(postgresFault('list events', 'a text').message).toContain('could not list events (a text); likely')
})

const result = (errcode: number) => Object.assign(new Error('no'), { errcode })

test.each([
  [
    state('SQLITE_BUSY_SNAPSHOT'),
    '; another process has held the write lock for longer than busySeconds',
    'busy',
  ],
  [result(5), '; another process has held the write lock for longer than busySeconds', 'busy'],
  [result(261), '; another process has held the write lock for longer than busySeconds', 'busy'],
  [state('SQLITE_FULL'), '; make room on the disk, or raise max_page_count', 'full'],
  [result(13), '; make room on the disk, or raise max_page_count', 'full'],
  [result(1032), '', 'denied'],
  [state('SQLITE_READONLY_DBMOVED'), '', 'denied'],
  [state('SQLITE_CORRUPT'), '', 'unavailable'],
  [state('EACCES'), '', 'unavailable'],
])('SQLite: the advice on %o', (cause, fix, reason) => {
  const fault = sqliteFault('list events', cause)
  expect(fault).toMatchObject({
    message: `store_unavailable: SQLite could not list events: no${fix}`,
    reason,
    cause,
  })
})

test('SQLite: a value that is no error', () => {
  expect(sqliteFault('list events', 'SQLITE_BUSY').message).toBe(
    'store_unavailable: SQLite could not list events: SQLITE_BUSY',
  )
})

test.each([
  ['no such table: webhook_inbox', 'the table is missing; fix: run the SQL of d1Migration'],
  ['D1 DB is overloaded.', `too many queries wait; fix: none here, ${redelivered}`],
  ['Too many requests queued.', `too many queries wait; fix: none here, ${redelivered}`],
  ['Exceeded storage limit', 'the database is full; fix: call receiver.prune() more often'],
  ['database or disk is full', 'the database is full; fix: call receiver.prune() more often'],
  ['Network connection lost.', `it is unreachable for a moment; fix: none here, ${redelivered}`],
])('D1: %s', (said, advice) => {
  const cause = new Error(said)
  const fault = d1Fault('claim an event', cause)
  expect(fault.message).toBe(
    `store_unavailable: D1 could not claim an event (${said}); likely cause: ${advice}`,
  )
  expect(fault.cause).toBe(cause)
  expect(d1Fault('claim an event', said).message).toBe(fault.message)
})

const role = 'its IAM role; fix: allow dynamodb:GetItem and dynamodb:UpdateItem on the table'
const capacity = 'the table has too little capacity; fix: raise it, or bill the table per request'

test.each([
  ['ResourceNotFoundException', 'the table is missing; fix: create it in this region'],
  ['AccessDeniedException', role],
  ['UnrecognizedClientException', role],
  ['ProvisionedThroughputExceededException', capacity],
  ['ThrottlingException', capacity],
  ['RequestLimitExceeded', capacity],
  ['ValidationException', 'the key of the table; fix: give it the key event_key, a string'],
  ['TimeoutError', `it is unreachable for a moment; fix: none here, ${redelivered}`],
])('DynamoDB: %s', (name, advice) => {
  const cause = named(name)
  const fault = dynamoFault('claim an event', cause)
  expect(fault.message).toBe(
    `store_unavailable: DynamoDB could not claim an event (${name}: no); likely cause: ${advice}`,
  )
  expect(fault.cause).toBe(cause)
})

test('DynamoDB: a value that is no error', () => {
  expect(dynamoFault('claim an event', 'ValidationException').message).toContain(
    '(ValidationException); likely cause: it is unreachable',
  )
})

test.each<[string, Error, StoreError['reason']]>([
  ['Postgres', postgresFault('x', state('55P03')), 'busy'],
  ['Postgres', postgresFault('x', state('40001')), 'busy'],
  ['Postgres', postgresFault('x', state('40003')), 'unavailable'],
  ['Postgres', postgresFault('x', state('57014')), 'timeout'],
  ['Postgres', postgresFault('x', state('53100')), 'full'],
  ['Postgres', postgresFault('x', state('53200')), 'full'],
  ['Postgres', postgresFault('x', state('42501')), 'denied'],
  ['Postgres', postgresFault('x', state('28P01')), 'denied'],
  ['Postgres', postgresFault('x', state('42P01')), 'not_migrated'],
  ['Postgres', postgresFault('x', state('42703')), 'not_migrated'],
  ['Postgres', postgresFault('x', state('57P01')), 'unavailable'],
  ['Postgres', postgresFault('x', state('ECONNREFUSED')), 'unavailable'],
  ['SQLite', sqliteFault('x', state('SQLITE_BUSY')), 'busy'],
  ['SQLite', sqliteFault('x', state('SQLITE_FULL')), 'full'],
  ['SQLite', sqliteFault('x', state('SQLITE_READONLY')), 'denied'],
  ['SQLite', sqliteFault('x', state('SQLITE_CORRUPT')), 'unavailable'],
  ['D1', d1Fault('x', new Error('no such table: a')), 'not_migrated'],
  ['D1', d1Fault('x', new Error('D1 DB is overloaded.')), 'busy'],
  ['D1', d1Fault('x', new Error('Exceeded storage limit')), 'full'],
  ['D1', d1Fault('x', new Error('Network connection lost.')), 'unavailable'],
  ['DynamoDB', dynamoFault('x', named('ResourceNotFoundException')), 'not_migrated'],
  ['DynamoDB', dynamoFault('x', named('AccessDeniedException')), 'denied'],
  ['DynamoDB', dynamoFault('x', named('ThrottlingException')), 'busy'],
  ['DynamoDB', dynamoFault('x', named('TimeoutError')), 'unavailable'],
  ['a program', new StoreError('x'), 'unavailable'],
])('%s: the reason of %s', (_, error, reason) => {
  expect(error).toMatchObject({ name: 'StoreError', code: 'store_unavailable', reason })
})
