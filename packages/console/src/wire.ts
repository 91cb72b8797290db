/**
 * The types of the API between the server and the page of the console. The page imports only types from this file.
 *
 * Times are RFC 3339. Durations are in seconds.
 */
export type { CappedCount, Statistics, StatisticsBucket, VersionStart } from 'webhook-inbox'
export type * from './wire/answer.js'
export type * from './wire/bulk.js'
export type * from './wire/event.js'
export type * from './wire/group.js'
export type * from './wire/me.js'
export type * from './wire/overview.js'
export type * from './wire/problem.js'
export type * from './wire/quarantine.js'
