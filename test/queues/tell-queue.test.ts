import { expect, test, vi } from 'vitest'
import { tellQueue } from '../../src/queue/tell-queue.js'

const cause = new Error('the broker is gone')
const line = 'the queue failed after a commit; its next search finds the event'

test.each<[string, () => unknown, readonly unknown[]]>([
  [
    'throws',
    () => {
      throw cause
    },
    [[line, cause]],
  ],
  ['rejects', () => Promise.reject(cause), [[line, cause]]],
  ['returns', () => undefined, []],
  ['resolves', () => Promise.resolve(), []],
])('a queue that %s does not fail what was committed', async (_, tell, logged) => {
  const error = vi.fn()
  tellQueue({ error }, tell)
  await new Promise(setImmediate)
  expect(error.mock.calls).toEqual(logged)
})
