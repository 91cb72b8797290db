import { describe, expect, it } from 'vitest'
import { type Asked, expected, ran } from './plane.js'

const at = '2026-01-02T03:04:05.000Z'
const clock = { kind: 'virtual', now: at }

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
