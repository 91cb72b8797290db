import { expect, test } from 'vitest'
import { JobNotDone } from '../../src/errors.js'
import { JobHeld } from '../../src/queue/queue.js'
import { resolveQueueOptions } from '../../src/queue/queue-options.js'

const defaults = { concurrency: 10, pollSeconds: 2, name: 'webhook-inbox', onError: () => {} }
const resolve = (options: object) => resolveQueueOptions('someQueue', options, defaults, 'boss') as object

test('each given option replaces its default', () => {
  const retry = { attempts: 20, firstPauseSeconds: 1, longestPauseSeconds: 3600 }
  expect(resolve({})).toEqual({ ...defaults, retry })
  expect(resolve({ boss: 7, concurrency: 1, pollSeconds: 86_400, retry: { attempts: 1 } })).toEqual({
    ...defaults,
    boss: 7,
    concurrency: 1,
    pollSeconds: 86_400,
    retry: { ...retry, attempts: 1 },
  })
  expect(resolve({ concurrency: undefined, retry: undefined })).toEqual({ ...defaults, retry })
  // All pauses are as long then.
  for (const given of [{ longestPauseSeconds: 0.5 }, { firstPauseSeconds: 5, longestPauseSeconds: 5 }]) {
    expect(resolve({ retry: given })).toEqual({ ...defaults, retry: { ...retry, ...given } })
  }
})

test.each<[object, string]>([
  [{ poll: 1 }, 'unknown_option: poll is not an option of someQueue; '],
  [{ concurency: 1 }, 'did you mean concurrency?'],
  [{ retry: { pause: 1 } }, 'unknown_option: pause is not an option of retry of someQueue; '],
  [{ retry: 3 }, 'invalid_option: the options of retry of someQueue must be an object'],
  [{ concurrency: 0 }, 'invalid_option: concurrency must be a positive whole number'],
  [{ concurrency: 1.5 }, 'invalid_option: concurrency must be a positive whole number'],
  [{ concurrency: '10' }, 'invalid_option: concurrency must be a positive whole number'],
  [{ retry: { attempts: 0 } }, 'invalid_option: retry.attempts must be a positive whole number'],
  [{ pollSeconds: 0 }, 'invalid_option: pollSeconds must be a positive number, at most a day'],
  [{ pollSeconds: '5' }, 'invalid_option: pollSeconds must be a positive number, at most a day'],
  [{ pollSeconds: Number.NaN }, 'invalid_option: pollSeconds must be a positive number, at most a day'],
  [{ pollSeconds: 86_401 }, 'invalid_option: pollSeconds must be a positive number, at most a day'],
  [
    { retry: { firstPauseSeconds: -1 } },
    'invalid_option: retry.firstPauseSeconds must be a positive number, at most a day',
  ],
  [
    { retry: { firstPauseSeconds: 61, longestPauseSeconds: 60 } },
    'invalid_option: retry.firstPauseSeconds must be at most retry.longestPauseSeconds',
  ],
  [{ onError: 'log' }, 'invalid_option: onError must be a function'],
  [{ name: '' }, 'invalid_option: name must be 1 to 64 letters, digits, _ or -'],
  [{ name: 'a.b' }, 'invalid_option: name must be 1 to 64 letters, digits, _ or -'],
  [{ name: 'a b' }, 'invalid_option: name must be 1 to 64 letters, digits, _ or -'],
  [{ name: 'n'.repeat(65) }, 'invalid_option: name must be 1 to 64 letters, digits, _ or -'],
  [{ name: 7 }, 'invalid_option: name must be 1 to 64 letters, digits, _ or -'],
])('%j is rejected', (options, message) => {
  expect(() => resolve(options)).toThrow(message)
})

test('a queue without a name needs none', () => {
  const { name: _, ...unnamed } = defaults
  expect(() => resolveQueueOptions('localQueue', {}, unnamed)).not.toThrow()
  expect(() => resolve({ name: 'n'.repeat(64) })).not.toThrow()
})

test('what a worker rejects with says what happened', () => {
  const held = new JobHeld('paused')
  expect([String(held), held.reason]).toEqual(['JobHeld: the event is held back: paused', 'paused'])
  expect(held).toMatchObject({ retryAfterSeconds: undefined, isStillFound: false })
  const cause = new Error('why')
  const failed = new JobNotDone('no', true, { code: 'handler_failed', detail: 'the handler', cause })
  expect(String(failed)).toBe('JobNotDone: no')
  expect(failed).toMatchObject({ code: 'handler_failed', detail: 'the handler', cause, isAttempt: true })
  expect(new JobNotDone('later', false)).toMatchObject({ code: undefined, isAttempt: false })
})
