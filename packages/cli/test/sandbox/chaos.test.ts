import { describe, expect, it } from 'vitest'
import { onPlane } from './plane.js'

const before = {
  seed: 3,
  all: { drop: { probability: 0.1 }, latency: { probability: 1, seconds: 9 } },
  subscriptions: { whe_1: { duplicate: { probability: 0.2 } } },
}
const after = {
  seed: 1,
  all: { drop: { probability: 0.5 } },
  subscriptions: { whe_2: { skew: { probability: 1 } } },
}

const chaos = (args: readonly string[], given: object = before) =>
  onPlane(['chaos', ...args], { 'GET chaos': given, 'PUT chaos': after })

describe('sandbox chaos', () => {
  it('shows the settings', async () => {
    expect(await chaos([])).toEqual({
      code: 0,
      out: [
        'drop  {"probability":0.1}  every subscription',
        'latency  {"probability":1,"seconds":9}  every subscription',
        'duplicate  {"probability":0.2}  whe_1',
      ],
      err: [],
      asked: [['GET chaos']],
    })
    expect((await chaos(['--json'])).out).toEqual([JSON.stringify(before)])
    expect((await chaos([], { seed: 1, all: {}, subscriptions: {} })).out).toEqual(['No faults are set.'])
    expect((await chaos(['--seed', '7'])).out).toEqual([
      'drop  {"probability":0.5}  every subscription',
      'skew  {"probability":1}  whe_2',
    ])
  })

  const { all, subscriptions } = before
  it.each<[string[], object]>([
    [['--seed', '7'], { ...before, seed: 7 }],
    [['--off'], { seed: 1, all: {}, subscriptions: {} }],
    [['--off', 'drop=1'], { seed: 1, all: { drop: { probability: 1 } }, subscriptions: {} }],
    [['drop=0'], { ...before, all: { ...all, drop: { probability: 0 } } }],
    [
      ['drop=1', 'reset=0.25'],
      { ...before, all: { ...all, drop: { probability: 1 }, reset: { probability: 0.25 } } },
    ],
    [['latency=0.5'], { ...before, all: { ...all, latency: { probability: 0.5, seconds: 9 } } }],
    [['latency.seconds=3.5'], { ...before, all: { ...all, latency: { probability: 1, seconds: 3.5 } } }],
    [['reorder=1'], { ...before, all: { ...all, reorder: { probability: 1, windowSeconds: 5 } } }],
    [['skew=1'], { ...before, all: { ...all, skew: { probability: 1, seconds: -600 } } }],
    [['trickle=1'], { ...before, all: { ...all, trickle: { probability: 1, seconds: 5 } } }],
    [
      ['drop=1', '--subscription', 'whe_1'],
      { ...before, subscriptions: { whe_1: { ...subscriptions.whe_1, drop: { probability: 1 } } } },
    ],
    [
      ['latency=1', '--subscription', 'whe_9'],
      { ...before, subscriptions: { ...subscriptions, whe_9: { latency: { probability: 1, seconds: 2 } } } },
    ],
  ])('%j sets', async (args, body) => {
    expect((await chaos(args)).asked).toEqual([['GET chaos'], ['PUT chaos', body]])
  })

  const names =
    'latency, drop, dropAnswer, duplicate, reorder, corruptSignature, skew, truncate, trickle, reset'
  it.each([
    ['drop', 'a fault needs a probability, such as drop=0.5'],
    ['latency.seconds', 'a fault needs a probability, such as latency.seconds=0.5'],
    ['drop=', 'a probability is 0 to 1, such as drop=0.5'],
    ['drop= ', 'a probability is 0 to 1, such as drop=0.5'],
    ['drop=1.01', 'a probability is 0 to 1, such as drop=0.5'],
    ['drop=-0.1', 'a probability is 0 to 1, such as drop=0.5'],
    ['drop=x', 'a probability is 0 to 1, such as drop=0.5'],
    ['skew.seconds=', 'skew.seconds is a number, such as skew.seconds=5'],
    ['skew.seconds= ', 'skew.seconds is a number, such as skew.seconds=5'],
    ['skew.seconds=ten', 'skew.seconds is a number, such as skew.seconds=5'],
    ['skew.\n=x', 'skew.\\n is a number, such as skew.\\n=5'],
    ['dorp=1', `there is no fault dorp; did you mean drop?; the faults are ${names}`],
    ['x\n=1', `there is no fault x\\n; the faults are ${names}`],
    ['=1', `there is no fault ; the faults are ${names}`],
  ])('rejects %j', async (pair, message) => {
    const { code, err, asked } = await chaos([pair])
    expect([code, asked]).toEqual([2, [['GET chaos']]])
    expect(err).toEqual([`webhook-inbox: ${message}`, 'See webhook-inbox sandbox chaos --help.'])
  })
})
