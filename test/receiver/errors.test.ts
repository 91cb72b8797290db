import { expect, it } from 'vitest'
import {
  ConfigurationError,
  eventChanged,
  HandlerFailure,
  JobNotDone,
  PayloadError,
  StoreError,
  VerificationError,
  WebhookInboxError,
} from '../../src/errors.js'

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
  expect(eventChanged()).toMatchObject({
    name: 'ConflictError',
    code: 'event_changed',
    message: 'event_changed: the event changed after it was looked at; look at it again',
  })
})

it('a message holds a detail of at most 300 characters, and a longer one is cut', () => {
  const whole = 'd'.repeat(300)
  expect(new PayloadError('invalid_data', whole).message).toContain(` (${whole}); likely cause`)
  expect(new PayloadError('invalid_data', `${whole}d`).message).toContain(`(${whole}…); likely cause`)
})
