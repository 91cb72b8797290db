import { describe, expect, it } from 'vitest'
import { type Receiver, StoreError } from 'webhook-inbox'
import { consoleHandler } from '../src/index.js'
import { routes } from '../src/routes/routes.js'
import { callOf } from './calls.js'
import { all } from './every-right.js'
import { act, listen } from './rig.js'

const unknown = (what: string, once = false) =>
  ` It is unknown whether it was changed. Look at ${what} before you try again.${once ? ' A second try cannot do it twice.' : ''}`

/** What the console says of each change after which nothing is known, behind the fact and before where to look. */
const outcomes: Readonly<Record<string, string>> = {
  'POST /events/:id/replay': unknown('the event', true),
  'POST /events/:id/discard': unknown('the event', true),
  'POST /events/:id/retry-now': unknown('the event'),
  'POST /events/:id/give-up': unknown('the event'),
  'POST /events/:id/replay-edited': unknown('the event', true),
  'POST /plans': '',
  'POST /plans/:id/run': unknown('the operations'),
  'POST /runs/:id/pause': unknown('the operations'),
  'POST /runs/:id/resume': unknown('the operations'),
  'POST /runs/:id/cancel': unknown('the operations'),
  'POST /undo': unknown('what was discarded'),
  'POST /groups/:group/acknowledge': unknown('the cause'),
  'POST /groups/:group/resolve': unknown('the cause'),
  'POST /groups/:group/reopen': unknown('the cause'),
  'POST /quarantine/:key/discard': unknown('the quarantine'),
  'POST /quarantine/:key/verify-again': unknown('the quarantine'),
  'POST /quarantine/preview': '',
  'POST /quarantine/verify-again':
    ' It is unknown whether it was changed: up to 20 may be released and not counted here.',
  'POST /flow/pause': unknown('the overview'),
  'POST /flow/resume': unknown('the overview'),
}

/** As this receiver, but each change fails, and so does each read that a change begins with. */
function failing(receiver: Receiver, error: unknown): Receiver {
  const fail = () => Promise.reject(error)
  const acts = {
    replay: fail,
    discard: fail,
    replayEdited: fail,
    plan: fail,
    run: fail,
    undo: fail,
    pause: fail,
    resume: fail,
  }
  const others = {
    acknowledgeGroup: fail,
    resolveGroup: fail,
    reopenGroup: fail,
    verifyAgain: fail,
    quarantined: fail,
  }
  const findRun: Receiver['findRun'] = async (id) => {
    const handle = await receiver.findRun(id)
    return handle && { ...handle, progress: () => handle.progress(), pause: fail, resume: fail, cancel: fail }
  }
  return { ...receiver, ...acts, ...others, findRun } as Receiver
}

describe('after a change that failed', () => {
  it('each route has its words in this test', () => {
    const names = routes.filter(({ method }) => method === 'POST').map(({ path }) => `POST ${path}`)
    expect(Object.keys(outcomes).sort()).toEqual(names.sort())
  })

  it.each(Object.entries(outcomes))('%s says what is known, and logs what is not', async (name, outcome) => {
    const { receiver, path, body } = await callOf(name)
    const lines: string[] = []
    const logger = { ...all.logger, error: (line: string) => void lines.push(line) }
    const errors = [
      [
        new StoreError('away', { reason: 'unavailable' }),
        503,
        'store_unavailable',
        'The database did not respond.',
      ],
      [
        new StoreError('late', { reason: 'timeout' }),
        504,
        'too_slow',
        'The database did not finish it in time.',
      ],
      [new TypeError('a fault'), 500, 'internal_error', 'The console failed.'],
    ] as const
    for (const [error, status, code, fact] of errors) {
      lines.length = 0
      const url = await listen(consoleHandler(failing(receiver, error), { ...all, logger }))
      const response = await fetch(`${url}/api${path}`, act('a test', {}, body))
      expect([response.status, await response.json()]).toMatchObject([
        status,
        { code, detail: `${fact}${outcome} The log of the program says why.` },
      ])
      const logged = lines.filter((line) => !line.includes('a request failed'))
      const where = decodeURIComponent(path)
      const expected =
        outcome === '' ? [] : [`webhook-inbox-console: the outcome is unknown of POST ${where} by operator`]
      expect(logged.map((line) => line.split('; ', 1)[0])).toEqual(expected)
    }
  })
})
