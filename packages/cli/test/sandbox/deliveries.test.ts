import { describe, expect, it } from 'vitest'
import { expected, ran } from './plane.js'

const at = '2026-01-02T03:04:05.000Z'

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
