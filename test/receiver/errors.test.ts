import { expect, it } from 'vitest'
import {
  ConfigurationError,
  HandlerFailure,
  JobNotDone,
  PayloadError,
  StoreError,
  transactionEnded,
  VerificationError,
  WebhookInboxError,
} from '../../src/errors.js'
import {
  discardChanged,
  eventChanged,
  groupChanged,
  pauseChanged,
  runChanged,
} from '../../src/store/changed.js'

it('each error prints its own name, and keeps its code', () => {
  const errors = {
    VerificationError: new VerificationError('missing_signature'),
    PayloadError: new PayloadError('invalid_data', 'data.id'),
    ConfigurationError: new ConfigurationError('invalid_option', 'no'),
    StoreError: new StoreError('down'),
  }
  expect(String(new JobNotDone('later'))).toBe('JobNotDone: later')
  for (const [name, error] of Object.entries(errors)) {
    expect(error).toBeInstanceOf(WebhookInboxError)
    expect(String(error).startsWith(`${name}: ${error.code}`)).toBe(true)
  }
  // Whoever parses an event without a receiver has no queue.
  expect(errors.PayloadError.message).toContain('a replay needs a queue such as localQueue()')
  expect(errors.PayloadError.detail).toBe('data.id')
  expect(errors.ConfigurationError.detail).toBe('no')
})

it('an error keeps its cause', () => {
  const cause = new Error('why')
  expect(new ConfigurationError('invalid_option', 'no', { cause }).cause).toBe(cause)
  expect(new StoreError('down', { cause }).cause).toBe(cause)
  const failure = new HandlerFailure(cause)
  expect([failure.cause, failure.detail, String(failure)]).toEqual([
    cause,
    undefined,
    'HandlerFailure: the handler threw or rejected',
  ])
})

it('a change that came too late says what to do', () => {
  for (const [code, error] of Object.entries({
    event_changed: eventChanged(),
    pause_changed: pauseChanged(),
    group_changed: groupChanged(),
    run_changed: runChanged(),
    discard_changed: discardChanged(),
  })) {
    expect(error).toMatchObject({ name: 'ConflictError', code })
    expect(error.message).toMatch(new RegExp(`^${code}: .+; look at it again$`))
  }
})

it('a failure of a handler counts unless it says otherwise', () => {
  expect(new HandlerFailure('no').isAttempt).toBe(true)
  expect(new HandlerFailure('no', undefined, 1, false).isAttempt).toBe(false)
})

it('a store error has the reason that the store knows, or says that it is unavailable', () => {
  expect(new StoreError('down').reason).toBe('unavailable')
  expect(new StoreError('down', { reason: 'busy' }).reason).toBe('busy')
})

it('a transaction that its handler ended keeps what the database said', () => {
  const cause = new Error('no transaction is active')
  expect(transactionEnded(cause)).toMatchObject({ code: 'transaction_misused', cause })
  expect(transactionEnded().message).toMatch(/; likely cause: .+; fix: .+/)
})

it('a message holds a detail of at most 300 characters, and a longer one is cut', () => {
  const whole = 'd'.repeat(300)
  expect(new PayloadError('invalid_data', whole).message).toContain(` (${whole}); likely cause`)
  expect(new PayloadError('invalid_data', `${whole}d`).message).toContain(`(${whole}…); likely cause`)
})
