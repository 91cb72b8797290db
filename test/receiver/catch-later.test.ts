import { expect, it } from 'vitest'
import { catchLater } from '../../src/catch-later.js'
import { eventNotFound, PayloadError, Rejection } from '../../src/errors.js'
import { unhandledRejections } from './unhandled.js'

const unhandled = unhandledRejections()
const then = 'then'
const rejected = () => Promise.reject(new Error('later'))

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

it.each<[string, boolean, () => unknown]>([
  ['a promise', true, rejected],
  [
    'an object with a then',
    true,
    () => ({ [then]: (_: unknown, reject: (error: unknown) => void) => reject('x') }),
  ],
  ['an object whose then is no function', false, () => ({ [then]: 1 })],
  ['a list of promises', false, () => [rejected(), null, 'text', rejected()]],
  ['null', false, () => null],
  ['a text', false, () => 'text'],
  ['a function', false, () => () => rejected],
  ['a revoked proxy', false, revoked],
  [
    'an object that throws',
    false,
    () => ({
      get [then]() {
        throw new Error('no')
      },
    }),
  ],
])('%s ends no process; it is a promise: %s', (_, isPromise, make) => {
  process.on('unhandledRejection', unhandled)
  expect(catchLater(make())).toBe(isPromise)
})

it('the handler gets what a promise rejects with, alone or in a list', async () => {
  const seen: unknown[] = []
  const handle = (error: unknown) => void seen.push((error as Error).message)
  catchLater(rejected(), handle)
  catchLater([rejected()], handle)
  await expect.poll(() => seen).toEqual(['later', 'later'])
})

it('a rejection whose cause is a promise ends no process', () => {
  process.on('unhandledRejection', unhandled)
  expect(new Rejection('body_incomplete', undefined, rejected()).code).toBe('body_incomplete')
})

it('an error says no more than it knows', () => {
  expect(eventNotFound('evt_1').message).toBe('event_not_found: no event evt_1 is kept')
  expect(new PayloadError('invalid_data').message).toMatch(/^invalid_data: [^()]+; likely cause: /)
})
