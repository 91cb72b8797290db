import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { RequestRecord } from '../../src/control/request-log.js'
import type { AttemptNotice } from '../../src/delivery/attempt-notice.js'
import type { Attempt } from '../../src/delivery/attempts.js'
import type { Delivery } from '../../src/delivery/deliveries.js'
import { resolveOptions } from '../../src/options/resolve.js'
import { attemptLine, banner, paintFor, requestLine } from '../../src/program/lines.js'

const at = new Date(2026, 0, 2, 3, 4, 5, 6).getTime()
const plain = paintFor(false)
const tagged = (format: unknown, text: string) => `<${format}>${text}</>`

const request: RequestRecord = {
  id: 'req_1',
  method: 'POST',
  path: '/v1/transfers',
  status: 201,
  subject: 'tr_1  sim_settle',
  isReplayed: false,
  code: undefined,
  milliseconds: 1,
  at,
}

describe('the line of a request', () => {
  test.each<[Partial<RequestRecord>, string]>([
    [{}, 'POST /v1/transfers            201  tr_1  sim_settle'],
    [{ isReplayed: true }, 'POST /v1/transfers            201  tr_1  sim_settle  idempotency replay'],
    [
      { status: 404, subject: '', code: 'not_found', method: 'GET', path: '/v1/x' },
      'GET /v1/x                     404  not_found',
    ],
    [{ path: '/v1/\u001b[2J\u0000é' }, 'POST /v1/?[2J??               201  tr_1  sim_settle'],
    [{ path: `/${'x'.repeat(100)}` }, `POST /${'x'.repeat(79)}  201  tr_1  sim_settle`],
    [{ subject: 'a\nb' }, 'POST /v1/transfers            201  a?b'],
  ])('with %j', (changes, line) => {
    expect(requestLine({ ...request, ...changes }, plain)).toBe(`03:04:05.006  ${line}`)
  })

  test.each([
    [200, 'green'],
    [299, 'green'],
    [300, 'yellow'],
    [499, 'yellow'],
    [500, 'red'],
  ])('shows the status %i in %s', (status, color) => {
    expect(requestLine({ ...request, status }, tagged)).toContain(`  <${color}>${status}</>  `)
  })
})

const delivery = {
  eventId: 'evt_1',
  eventType: 'transfer.settled',
  cause: 'event',
  state: 'delivered',
} as Delivery

const attempt = {
  startedAt: at,
  response: { status: 200, headers: [], body: new Uint8Array(), isTruncated: false },
  timings: { ended: 12.4 },
} as unknown as Attempt

const ended = (changes: Partial<Attempt>, of: Partial<Delivery> = {}): AttemptNotice => ({
  phase: 'ended',
  delivery: { ...delivery, ...of },
  number: 1,
  of: 6,
  attempt: { ...attempt, ...changes },
})

describe('the line of an attempt', () => {
  test.each([
    ['event', 'attempt 2 of 6'],
    ['duplicate', 'attempt 2 of 6'],
    ['replay', 'replay'],
  ] as const)('that starts, of cause %s', (cause, words) => {
    const notice = { phase: 'started', delivery: { ...delivery, cause }, number: 2, of: 6 } as const
    expect(attemptLine(notice, plain, at)).toBe(`03:04:05.006  -> transfer.settled  evt_1  ${words}`)
  })

  const failure = { kind: 'timeout', code: 'attempt_timeout', message: 'late' } as const
  test.each<[string, AttemptNotice, string]>([
    ['acknowledged', ended({}), '200  12 ms                            evt_1'],
    ['with an outcome', ended({ outcome: 'processed' }), '200  12 ms  processed                 evt_1'],
    [
      'with a code',
      ended({ outcome: 'rejected', code: 'signature_mismatch' }),
      '200  12 ms  signature_mismatch        evt_1',
    ],
    [
      'failed, with a next one',
      ended({ failure, response: undefined, nextTryAt: at + 1600 }),
      'timeout  12 ms  next attempt in 2 s       evt_1',
    ],
    ['failed after a response', ended({ failure }), 'timeout  12 ms                            evt_1'],
    ['without a response', ended({ response: undefined }), 'failed  12 ms                            evt_1'],
    ['the last', ended({}, { state: 'exhausted' }), '200  12 ms  no further attempt        evt_1'],
    [
      'of a replay',
      ended({ outcome: 'duplicate' }, { cause: 'replay' }),
      '200  12 ms  duplicate  replay         evt_1',
    ],
  ])('that has ended: %s', (_, notice, line) => {
    expect(attemptLine(notice, plain, at)).toBe(`03:04:05.006  <- ${line}`)
  })

  test('shows a failure in red, and the time and the event dimmed', () => {
    const line = attemptLine(ended({ failure, response: undefined }), tagged, at)
    expect(line).toMatch(/^<dim>03:04:05\.006<\/> {2}<- <red>timeout<\/> .* <dim>evt_1<\/>$/)
  })
})

test('colors are escape sequences on a terminal, and nothing elsewhere', () => {
  // Node.js itself leaves out colors if the stdout of the tests is no terminal.
  vi.stubEnv('FORCE_COLOR', '1')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(paintFor(true)('red', 'x')).toContain('\u001b[')
  expect(plain('red', 'x')).toBe('x')
})

describe('the banner', () => {
  const url = 'http://127.0.0.1:4010'
  const lines = (given: object, forwarding: Parameters<typeof banner>[2] = []) =>
    banner(url, resolveOptions(given), forwarding).split('\n')
  const target = { id: 'whe_1', url: 'http://127.0.0.1:3000/', secret: 'whsec_local_1', isSecretMade: true }
  const forwardTo = [target.url]

  test('without a receiver says how to add one', () => {
    expect(lines({})).toEqual([
      `sandbox     ${url}/v1            Authorization: Bearer sk_sandbox_local`,
      `inspector   ${url}/_inspector    OpenAPI ${url}/openapi.json`,
      'delivering  nothing yet: pass --forward-to URL, or POST /webhook-subscriptions',
      '',
    ])
  })

  test('shows each receiver with its secret', () => {
    const [, , ...rest] = lines({ forwardTo }, [target])
    expect(rest).toEqual([
      `delivering  every event -> ${target.url}`,
      'secret      export WEBHOOK_SECRET=whsec_local_1          (the same at every start)',
      '',
    ])
  })

  test('does not promise the same secret for the next state file', () => {
    expect(lines({ forwardTo, state: 'file' }, [target])).toContain(
      'secret      export WEBHOOK_SECRET=whsec_local_1',
    )
  })

  test('shows no key and no secret of the user', () => {
    const text = lines({ forwardTo, apiKey: 'sk_mine' }, [{ ...target, isSecretMade: false }])
    expect(text[0]).toMatch(/Bearer <the key of --api-key>$/)
    expect(text).toContain('secret      <the secret that you gave>')
  })

  test.each([
    ['127.0.0.1', false],
    ['127.8.9.10', false],
    ['localhost', false],
    ['::1', false],
    ['0.0.0.0', true],
    ['127.0.0.1.example', true],
    ['x127.0.0.1', true],
    ['::', true],
    ['my-localhost', true],
  ])('of the host %s warns of the network: %s', (host, isWarned) => {
    const warning = `warning     --host ${host}: everybody who reaches this port can read the keys and secrets of the sandbox`
    expect(lines({ host }).includes(warning)).toBe(isWarned)
  })
})
