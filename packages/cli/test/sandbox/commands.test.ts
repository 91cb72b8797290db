import { describe, expect, it } from 'vitest'
import { Answer, type Answers, type Asked, onPlane } from './plane.js'

const at = '2026-01-02T03:04:05.000Z'
const clock = { kind: 'virtual', now: at }

/** What a command asks of the sandbox, what it prints, and its exit code. */
async function ran(args: readonly string[], answers: Answers, columns?: number) {
  return onPlane(args, answers, columns === undefined ? {} : { columns })
}

const expected = (
  out: readonly string[],
  asked: readonly Asked[],
  code = 0,
  err: readonly string[] = [],
) => ({
  code,
  out,
  err,
  asked,
})

describe('sandbox clock', () => {
  it('shows the time, or advances it', async () => {
    const shown = [`${at}  virtual clock`]
    expect(await ran(['clock'], { 'GET clock': clock })).toEqual(expected(shown, [['GET clock']]))
    expect(await ran(['clock', '--advance', '2h'], { 'POST clock': clock })).toEqual(
      expected(shown, [['POST clock', { advanceSeconds: 7200 }]]),
    )
    expect((await ran(['clock', '--json'], { 'GET clock': clock })).out).toEqual([JSON.stringify(clock)])
    expect(await ran(['clock', '--advance', 'soon'], {})).toMatchObject({
      code: 2,
      err: ['webhook-inbox: --advance must be a duration such as 90s, 15m, 2h or 7d', expect.any(String)],
      asked: [],
    })
  })
})

describe('sandbox reset', () => {
  it('resets', async () => {
    const asked: Asked[] = [['POST reset', {}]]
    expect(await ran(['reset'], {})).toEqual(expected(['The sandbox has its initial state.'], asked))
    expect(await ran(['reset', '--json'], {})).toEqual(expected(['{"isReset":true}'], asked))
  })
})

describe('sandbox emit', () => {
  const event = { id: 'evt_1', type: 'a.b', data: {} }
  it('emits an event with its data', async () => {
    const args = ['emit', 'a.b', '--set', 'n=1', '--set', 'x.y=z']
    const asked: Asked[] = [['POST events', { type: 'a.b', data: { n: 1, x: { y: 'z' } } }]]
    expect(await ran(args, { 'POST events': event })).toEqual(expected(['evt_1  a.b'], asked))
    expect((await ran([...args, '--json'], { 'POST events': event })).out).toEqual([JSON.stringify(event)])
    expect((await ran(['emit', 'a.b'], { 'POST events': event })).asked).toEqual([
      ['POST events', { type: 'a.b', data: {} }],
    ])
  })

  it('warns of a path that begins at the event, and of no other', async () => {
    const args = ['emit', 'a.b', '--set', 'data.x=1=2', '--set', 'database=1', '--set', 'x.data.y=1']
    expect((await ran(args, { 'POST events': event })).err).toEqual([
      'warning: --set sets fields of data, so this one is data.data.x; did you mean --set x=...?',
    ])
  })
})

describe('sandbox replay', () => {
  const delivery = { id: 'dlv_1', state: 'delivered', url: 'http://x/\u001b', eventId: 'evt_1' }
  const lost = { ...delivery, id: 'dlv_2', state: 'exhausted' }
  const plain = { times: 1, concurrent: false, signature: 'fresh', newId: false }

  it('prints each delivery, and fails where one does', async () => {
    const name = 'POST events/evt%2F1/replay'
    expect(await ran(['replay', 'evt/1'], { [name]: { data: [delivery] } })).toEqual(
      expected(['delivered   dlv_1  http://x/\\u{1b}'], [[name, plain]]),
    )
    expect(await ran(['replay', 'evt/1'], { [name]: { data: [delivery, lost] } })).toEqual(
      expected(
        ['delivered   dlv_1  http://x/\\u{1b}', 'exhausted   dlv_2  http://x/\\u{1b}'],
        [[name, plain]],
        1,
      ),
    )
    expect((await ran(['replay', 'evt/1', '--json'], { [name]: { data: [delivery] } })).out).toEqual([
      JSON.stringify(delivery),
    ])
  })

  it('takes its options, and says that no subscription wants the event', async () => {
    const args = ['replay', 'e', '--times', '3', '--concurrent', '--signature', 'original', '--new-id']
    const body = { times: 3, concurrent: true, signature: 'original', newId: true }
    expect(await ran(args, { 'POST events/e/replay': { data: [] } })).toEqual(
      expected([], [['POST events/e/replay', body]], 0, ['No subscription wants this event.']),
    )
    expect(await ran(['replay', 'e', '--times', '0'], {})).toMatchObject({ code: 2, asked: [] })
  })
})

describe('sandbox seeds', () => {
  const seeds = {
    wallets: [{ id: 'w_1', owner: 'cus_1', currency: 'KES', opening: '10.00' }],
    rails: [{ id: 'sim_settle', summary: 'Settles' }],
  }
  it('lists wallets and rails, in a pipe too', async () => {
    expect(await ran(['seeds'], { 'GET seeds': seeds })).toEqual(
      expected(
        [
          'WALLET  OWNER  OPENING BALANCE',
          'w_1     cus_1  10.00 KES',
          '',
          'RAIL OR NETWORK  WHAT HAPPENS',
          'sim_settle       Settles',
        ],
        [['GET seeds']],
      ),
    )
    expect((await ran(['seeds', '--json'], { 'GET seeds': seeds })).out).toEqual([JSON.stringify(seeds)])
  })

  it('moves what happens below its rail in a narrow terminal', async () => {
    const summary = 'Settles after some time, when the clock was advanced'
    const rails = [{ id: 'sim_settle', summary }]
    expect((await ran(['seeds'], { 'GET seeds': { ...seeds, rails } }, 40)).out.slice(3)).toEqual([
      'RAIL OR NETWORK',
      '  WHAT HAPPENS',
      'sim_settle',
      '  Settles after some time, when the',
      '  clock was advanced',
    ])
  })
})

describe('sandbox env', () => {
  const subscriptions = [
    { id: 'whe_1', secret: "one'1" },
    { id: 'whe_2', secret: 'two' },
  ]
  const config = { apiKey: 'key', subscriptions }
  const lines = (secret: string) => [
    "export SERVICE_URL='ORIGIN/v1'",
    "export SERVICE_API_KEY='key'",
    `export WEBHOOK_SECRET='${secret}'`,
  ]

  it('prints the variables of the first subscription, or of the one that is named', async () => {
    expect(await ran(['env'], { 'GET config': config })).toEqual(
      expected(lines("one'\\''1"), [['GET config']]),
    )
    expect((await ran(['env', '--subscription', 'whe_2'], { 'GET config': config })).out).toEqual(
      lines('two'),
    )
    expect((await ran(['env', '--subscription', 'whe_2', '--json'], { 'GET config': config })).out).toEqual([
      '{"SERVICE_URL":"ORIGIN/v1","SERVICE_API_KEY":"key","WEBHOOK_SECRET":"two"}',
    ])
  })

  it('says that there is no subscription', async () => {
    expect(await ran(['env'], { 'GET config': { ...config, subscriptions: [] } })).toEqual(
      expected(lines('').slice(0, 2), [['GET config']], 0, [
        'There is no subscription, so there is no WEBHOOK_SECRET.',
      ]),
    )
    expect(await ran(['env', '--subscription', 'x'], { 'GET config': config })).toEqual(
      expected([], [['GET config']], 2, [
        'webhook-inbox: there is no subscription with this id',
        'See webhook-inbox sandbox env --help.',
      ]),
    )
  })

  it('lets no other program end a quotation', async () => {
    expect(await ran(['env'], { 'GET config': { ...config, apiKey: { toString: 1 } } })).toMatchObject({
      code: 2,
      err: ['webhook-inbox: the response does not come from a sandbox', expect.any(String)],
    })
  })
})

describe('sandbox deliveries', () => {
  const delivery = {
    id: 'dlv_1',
    eventId: 'evt_1',
    eventType: 'a.b',
    url: `http://x/${'y'.repeat(300)}`,
    state: 'exhausted',
    attempts: 2,
    createdAt: at,
  }
  const attempt = {
    number: 1,
    startedAt: at,
    response: null,
    failure: null,
    outcome: null,
    code: null,
    timings: { ended: 12.6 },
  }
  const tries = [
    { ...attempt, failure: { kind: 'timeout' } },
    { ...attempt, number: 2 },
    { ...attempt, number: 3, response: { status: 500, body: 'no' } },
    { ...attempt, number: 4, response: { status: 401, body: '' }, outcome: 'rejected', code: 'stale' },
    { ...attempt, number: 5, response: { status: 200, body: 'ok' }, outcome: 'processed' },
  ]

  it('are listed by a filter', async () => {
    const list = [
      'CREATED                   STATE      ATTEMPTS  TYPE  EVENT  DELIVERY',
      `${at}  exhausted  2         a.b   evt_1  dlv_1`,
    ]
    expect(await ran(['deliveries'], { 'GET deliveries?limit=20': { data: [delivery] } }, 100)).toEqual(
      expected(list, [['GET deliveries?limit=20']]),
    )
    const args = ['deliveries', '--event', 'evt 1', '--state', 'exhausted', '--limit', '100']
    const name = 'GET deliveries?limit=100&eventId=evt+1&state=exhausted'
    expect(await ran(args, { [name]: { data: [delivery] } })).toEqual(
      expected([JSON.stringify(delivery)], [[name]]),
    )
    expect((await ran(args, { [name]: { data: [] } }, 100)).out).toEqual(['No delivery matches.'])
  })

  it.each(['0', '101', 'x'])('are at most 100 and at least one, and not %s', async (limit) => {
    expect(await ran(['deliveries', '--limit', limit], {})).toMatchObject({
      code: 2,
      err: ['webhook-inbox: --limit must be a whole number from 1 to 100', expect.any(String)],
      asked: [],
    })
  })

  it('are shown with each attempt', async () => {
    const one = { ...delivery, tries }
    const name = 'GET deliveries/dlv%2F1'
    const shown = await ran(['deliveries', 'dlv/1'], { [name]: one }, 100)
    expect(shown).toEqual(
      expected(
        [
          `a.b  evt_1 -> http://x/${'y'.repeat(190)}…  exhausted`,
          'ATTEMPT  STARTED                   TOOK   VERDICT        RESPONSE',
          `1        ${at}  13 ms  timeout`,
          `2        ${at}  13 ms  failed`,
          `3        ${at}  13 ms  500            no`,
          `4        ${at}  13 ms  401 stale`,
          `5        ${at}  13 ms  200 processed  ok`,
        ],
        [[name]],
      ),
    )
    expect((await ran(['deliveries', 'dlv/1', '--json'], { [name]: one })).out).toEqual([JSON.stringify(one)])
  })
})

describe('an answer of the control plane', () => {
  it.each<[string, Answer, number, string]>([
    ['a detail', new Answer(404, '{"title":"Not Found","detail":"no\\nsuch"}'), 2, 'no\\nsuch'],
    ['a title alone', new Answer(400, '{"title":"Bad Request"}'), 2, 'Bad Request'],
    ['a detail of any length', new Answer(422, `{"detail":"${'x'.repeat(301)}"}`), 2, `${'x'.repeat(299)}…`],
    ['no JSON', new Answer(400, '<p>'), 3, 'ORIGIN answered 400 to clock; is it a sandbox?'],
    ['no text', new Answer(400, '{"detail":7}'), 3, 'ORIGIN answered 400 to clock; is it a sandbox?'],
    ['null', new Answer(400, 'null'), 3, 'ORIGIN answered 400 to clock; is it a sandbox?'],
    ['a fault', new Answer(500, '{"detail":"broken"}'), 3, 'ORIGIN answered 500 to clock; is it a sandbox?'],
    ['a page', new Answer(200, '<p>Hello</p>'), 3, 'ORIGIN answered 200 to clock; is it a sandbox?'],
    ['a redirect', new Answer(302, '{}'), 3, 'ORIGIN answered 302 to clock; is it a sandbox?'],
  ])('may be %s', async (_, answer, code, message) => {
    const { err, ...rest } = await ran(['clock'], { 'GET clock': answer })
    expect(rest).toEqual({ code, out: [], asked: [['GET clock']] })
    expect(err[0]).toBe(`webhook-inbox: ${message}`)
    expect(err).toHaveLength(code === 2 ? 2 : 1)
  })

  it('may be empty', async () => {
    expect((await ran(['reset'], { 'POST reset': new Answer(200, '') })).code).toBe(0)
  })
})

describe('the sandbox is found', () => {
  it('at --url, whatever the variable says', async () => {
    const { code, err, asked } = await ran(['clock', '--url', 'http://127.0.0.1:9/path'], {})
    expect([code, asked]).toEqual([3, []])
    expect(err).toEqual([
      'webhook-inbox: no sandbox answers at http://127.0.0.1:9; start one: webhook-inbox sandbox',
    ])
  })

  it.each([
    [['--url', 'localhost'], {}, '--url must be an http or https URL'],
    [[], { SANDBOX_URL: 'ftp://x' }, 'SANDBOX_URL must be an http or https URL'],
  ])('%j %j is no URL', async (args, env, message) => {
    const { code, err } = await onPlane(['clock', ...args], {}, { env })
    expect([code, err[0]]).toEqual([2, expect.stringContaining(`webhook-inbox: ${message}, such as http`)])
  })
})
