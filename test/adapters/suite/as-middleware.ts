import type { AdapterSuiteOptions } from '../suite.js'
import type { MountRoute } from './middleware.js'
import type { Mount } from './rig.js'

/**
 * Runs the suite of adapters on a middleware. Its route does what the handler does in the suite, and answers as a receiver
 * does.
 */
export function asMiddleware(mount: MountRoute): [Mount, AdapterSuiteOptions] {
  const mountReceiver: Mount = (_receiver, { options, work }) =>
    mount(options, async ({ webhook, reply }) => {
      await work(webhook.event, { ...webhook, signal: webhook.signal, tx: undefined })
      return reply(200, JSON.stringify({ outcome: 'processed', eventId: webhook.event.id }))
    })
  return [mountReceiver, { ownsConnection: true, skip: deviations }]
}

const deviations = [
  {
    reason: 'the content type of a 200 is the route’s choice',
    tests: ['a valid delivery in the camelCase envelope is processed'],
  },
  {
    reason: 'what a failing route answers is the framework’s choice',
    tests: [
      'a handler that rejects gets a 500 and runs again',
      'a handler that throws synchronously gets a 500 and runs again',
      'a handler that rejects with a string gets a 500 and runs again',
      'a handler that rejects with nothing gets a 500 and runs again',
      'a handler that rejects with null gets a 500 and runs again',
      'a handler that rejects with an object that cannot be printed gets a 500 and runs again',
      'a response contains only outcome, code and event id',
    ],
  },
  {
    reason: 'a middleware has no handlers by type: its route sees every event',
    tests: [
      'a type without a handler is acknowledged as ignored',
      ...['constructor', '__proto__', 'toString', 'hasOwnProperty', 'then'].map(
        (type) => `a type named ${type} finds no handler`,
      ),
    ],
  },
]
