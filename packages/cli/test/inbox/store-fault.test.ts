import { describe, expect, it } from 'vitest'
import { lastBy, nothingDone, orNothingDone } from '../../src/inbox/or-nothing-done.js'
import { isOfNetwork, storeFault } from '../../src/inbox/store-fault.js'

const error = (given: object, message = 'no answer') => Object.assign(new Error(message), given)
const migrate = 'the tables of the store are missing or old: run webhook-inbox inbox migrate'
const networkCodes = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'EAI_AGAIN']

describe('an error of the store', () => {
  it.each<[unknown, string, string]>([
    [error({ code: 'store_not_migrated' }), 'UsageError', migrate],
    [error({ reason: 'not_migrated' }), 'UsageError', migrate],
    [error({ code: 'store_unavailable' }), 'UnreachableError', 'the store cannot be reached: no answer'],
    [
      error({ code: 'store_unavailable' }, ''),
      'UnreachableError',
      'the store cannot be reached: store_unavailable',
    ],
    [
      error({ cause: error({ code: 'ECONNREFUSED' }) }),
      'UnreachableError',
      'the store cannot be reached: no answer',
    ],
    ...networkCodes.map((code): [unknown, string, string] => [
      error({ code }),
      'UnreachableError',
      'the store cannot be reached: no answer',
    ]),
  ])('%# is explained', (given, name, message) => {
    expect(storeFault(given)).toMatchObject({ name, message })
  })

  it.each([
    error({}),
    error({ code: 'XECONNRESET' }),
    error({ code: 'ECONNRESETX' }),
    error({ code: 'invalid_store' }),
    error({ cause: error({ code: 'store_not_migrated' }) }),
    'a text',
    null,
    undefined,
    7,
  ])('of another kind stays as it is: %#', (given) => {
    expect(storeFault(given)).toBe(given)
    expect(isOfNetwork(given)).toBe(false)
  })
})

describe('a change that another operator made first', () => {
  const late = async () => 'it is done by a\nb'

  it('is nothing done, and says what is there now', async () => {
    await expect(
      orNothingDone('event_changed', Promise.reject(error({ code: 'event_changed' })), late),
    ).rejects.toEqual(
      expect.objectContaining({ name: 'NothingDoneError', message: 'it is done by a\\nb; nothing was done' }),
    )
    expect(nothingDone('a\u001bb').message).toBe('a\\u{1b}b; nothing was done')
  })

  it('is told from another error by its code', async () => {
    const other = error({ code: 'run_changed' })
    await expect(orNothingDone('event_changed', Promise.reject(other), late)).rejects.toBe(other)
    expect(await orNothingDone('event_changed', Promise.resolve(7), late)).toBe(7)
  })

  it('names who did it where that is known', () => {
    expect(lastBy(undefined)).toBe('')
    expect(lastBy({ actor: 'ada', at: '2026-01-01', reason: 'r' })).toBe(' by ada since 2026-01-01: r')
  })
})
