import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { all } from './every-right.js'
import { act, listen, openFilledInbox } from './rig.js'

const post = (body: object) => act('a test', {}, { seen: undefined, ...body })
const seen = { seen: { state: 'dead', generation: 0 } }

it.each<[path: string, init: object, status: number, detail: string]>([
  ['nowhere', {}, 404, 'The console has no such path.'],
  ['events?limit=0', {}, 422, 'limit must be a whole number from 1 to 200'],
  ['events?limit=201', {}, 422, 'limit must be a whole number from 1 to 200'],
  ['events?since=yesterday', {}, 422, 'since must be a time, such as 2026-01-31T12:00:00Z'],
  ['events?state=dead&body=Ada', {}, 422, 'body must be a path and a value, such as data.customer.name:Ada'],
  [
    'events?body=data.name:Ada',
    {},
    422,
    'A search in bodies also needs one of state, type, group, resource, since, until.',
  ],
  ['groups?sort=name', {}, 422, 'sort must be dead or events; without it, the last seen come first'],
  ['overview?hours=0', {}, 422, 'hours must be a number above 0, at most 744'],
  ['overview?hours=1e9', {}, 422, 'hours must be a number above 0, at most 744'],
  ['groups?sort=dead&cursor=x', {}, 422, 'cursor must be the next of the page before'],
  [
    'groups/none',
    {},
    404,
    'There is no such cause. A cause is deleted when nothing has failed with it for a while.',
  ],
  ['runs/none', {}, 404, 'There is no operation with this id.'],
  ['events/evt_none', {}, 404, 'There is no event with this id. It may have been discarded or pruned.'],
  [
    'quarantine/none',
    {},
    404,
    'No delivery is quarantined under this key. An operator may have discarded or released it.',
  ],
  ['events/evt_dead/snippet?as=postman', {}, 422, 'as must be one of curl, vitest, fixture'],
  [
    `events/evt_dead/snippet?as=curl&redact=${Array(21).fill('data.x')}`,
    {},
    422,
    'A snippet redacts at most 20 fields.',
  ],
  [
    'events/evt_dead/replay',
    { ...post(seen), headers: { 'Sec-Fetch-Site': 'same-origin' } },
    415,
    'Send the header Content-Type: application/json. Nothing was changed.',
  ],
  ['events/evt_dead/replay', { ...post(seen), body: '{' }, 422, 'The body is not JSON. Nothing was changed.'],
  [
    'events/evt_dead/replay',
    { ...post(seen), body: '[]' },
    422,
    'The body must be an object. Nothing was changed.',
  ],
  ['events/evt_dead/replay', act(' '), 422, 'Give a reason. It is kept for auditors. Nothing was changed.'],
  [
    'events/evt_dead/replay',
    act('x'.repeat(1001)),
    422,
    'A reason may have 1,000 characters. Nothing was changed.',
  ],
  [
    'events/evt_dead/replay',
    act('a test', { 'Sec-Fetch-Site': 'cross-site' }),
    403,
    'Only the page of this console may do this. A program sends the header Sec-Fetch-Site: same-origin. Nothing was changed.',
  ],
  [
    'events/evt_dead/replay',
    post({}),
    422,
    'Send the state and the generation that were shown, as seen. Nothing was changed.',
  ],
  [
    'events/evt_dead/replay',
    post({ ...seen, copies: 'evt_copy' }),
    422,
    'Send the ids of the copies that were shown, as copies. Nothing was changed.',
  ],
  [
    'events/evt_dead/replay-edited',
    post(seen),
    422,
    'body must be the whole event as text. Nothing was changed.',
  ],
  [
    'groups/none/resolve',
    post({ seen: {} }),
    404,
    'There is no such cause. A cause is deleted when nothing has failed with it for a while. Nothing was changed.',
  ],
  [
    'flow/resume',
    post({ type: 'a.b' }),
    422,
    'Send the time of the pause that was shown, as seen. Nothing was changed.',
  ],
  [
    'flow/pause',
    post({ typ: 'a.b' }),
    422,
    'typ is unknown. Give a type, a resource, or neither. Nothing was changed.',
  ],
  ['flow/pause', post({ type: 5 }), 422, 'type must be a string. Nothing was changed.'],
  ['undo', post({}), 422, 'of must be an id or a key. Nothing was changed.'],
  [
    'undo',
    post({ of: 'evt_dead', kind: 'run' }),
    422,
    "kind must be 'event' or 'delivery', and absent for an operation. Nothing was changed.",
  ],
  [
    'undo',
    post({ of: 'evt_dead', kind: 'event' }),
    422,
    'Send the undoUntil that was shown, as seen. Nothing was changed.',
  ],
  [
    'undo',
    post({ of: 'evt_dead', kind: 'event', seen: { undoUntil: 'x' } }),
    422,
    'nothing was restored: nothing was discarded under it',
  ],
  ['plans', post({ action: 'prune' }), 422, 'action must be one of replay, retryNow, giveUp, discard'],
  ['plans', post({ action: 'replay', where: [] }), 422, 'where must be an object'],
  [
    'plans',
    post({ action: 'replay', where: { body: 'x' } }),
    422,
    'where takes texts under state, type, group, resource, since, until',
  ],
  ['plans/none/run', post({}), 404, 'This preview is not kept any more. Preview again. Nothing was changed.'],
  [
    'quarantine/verify-again',
    post({ shown: {} }),
    422,
    'shown must be the preview that was shown. Nothing was changed.',
  ],
  ['quarantine/verify-again', post({ code: 5 }), 422, 'code must be a string. Nothing was changed.'],
])('rejects %s %j, and says why', async (path, init, status, detail) => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const response = await fetch(`${url}/api/${path}`, init)
  const found = await response.json()
  expect([response.status, found.detail]).toEqual([status, detail])
})

/** An error of the toolkit. Its class may be of another copy, so the console looks at its name alone. */
const errorOf = (name: string, about: object = {}) =>
  Object.assign(new Error('secret of the store'), { name, ...about })

const throwing = {
  get name(): string {
    throw new Error('no name')
  },
}

const log = 'The log of the program says why.'
it.each<[what: string, error: unknown, status: number, code: string, detail: string, isLogged: boolean]>([
  [
    'a query that takes too long',
    errorOf('StoreError', { reason: 'timeout' }),
    504,
    'too_slow',
    'The database did not finish the query in time. Add a condition, such as a state or a time.',
    false,
  ],
  [
    'a lock',
    errorOf('StoreError', { reason: 'busy' }),
    503,
    'busy',
    'Another transaction holds a lock, such as that of a handler, an operator or a migration. Try again in a moment.',
    false,
  ],
  [
    'a store without this part',
    errorOf('ConfigurationError', { code: 'invalid_store', detail: 'the store has no runs' }),
    501,
    'not_supported',
    'the store has no runs',
    false,
  ],
  [
    'a wrong argument',
    errorOf('ConfigurationError', { code: 'invalid_option', detail: 'limit is too large' }),
    422,
    'invalid_request',
    'limit is too large',
    false,
  ],
  [
    'a conflict',
    errorOf('ConflictError'),
    409,
    'event_changed',
    'The event changed since it was shown. Look at it again.',
    false,
  ],
  [
    'a store that is away',
    errorOf('StoreError', { reason: 'unavailable' }),
    503,
    'store_unavailable',
    `The database did not respond. ${log}`,
    true,
  ],
  ['another error with a reason', errorOf('Error', { reason: 'busy' }), 500, 'internal_error', log, true],
  ['a text', 'secret of the store', 500, 'internal_error', log, true],
  ['an object whose properties throw', throwing, 500, 'internal_error', log, true],
])('of %s a view says what the person can do', async (_, error, status, code, detail, isLogged) => {
  const { receiver } = await openFilledInbox()
  const logged: unknown[][] = []
  const logger = { ...all.logger, error: (...line: unknown[]) => logged.push(line) }
  const broken = { ...receiver, list: () => Promise.reject(error) }
  const url = await listen(consoleHandler(broken, { ...all, logger }))
  const response = await fetch(`${url}/api/events`)
  expect([response.status, await response.json()]).toMatchObject([status, { code, detail }])
  expect(logged.map(([line]) => line)).toEqual(
    isLogged ? [expect.stringMatching(/^webhook-inbox-console: a request failed/)] : [],
  )
})
