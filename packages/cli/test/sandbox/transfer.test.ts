import { describe, expect, it } from 'vitest'
import { Answer, onPlane } from './plane.js'

const created = { id: 'tr_1', status: 'pending', source: 'a', destination: 'b' }
const config = { 'GET config': { apiKey: 'sk_test_1' } }
const create = 'POST /v1/transfers'

const transfer = (args: readonly string[], answer: unknown = created) =>
  onPlane(['transfer', ...args], { ...config, [create]: answer })

describe('sandbox transfer asks for', () => {
  const wallet = {
    source: 'wallet_kes_ada',
    destination: 'wallet_kes_ben',
    amount: 10.5,
    currency: 'KES',
    rail: 'sim_settle',
  }
  const phone = { type: 'mobile_money', network: 'sim_settle', phone: '+254700000001' }
  const { source, amount: _, currency } = wallet
  it.each<[string[], object]>([
    [[], wallet],
    [['--rail', 'sim_late'], { ...wallet, rail: 'sim_late' }],
    [['--from', 'w_1', '--to', 'w_2'], { ...wallet, source: 'w_1', destination: 'w_2' }],
    [['--amount', '3'], { ...wallet, amount: 3 }],
    [['--amount', '3.5', '--currency', 'UGX'], { ...wallet, amount: 3.5, currency: 'UGX' }],
    [['--phone', phone.phone], { source, currency, amount: '10.50', destination: phone }],
    [
      ['--phone', phone.phone, '--network', 'sim_late', '--amount', '7'],
      { source, currency, amount: '7', destination: { ...phone, network: 'sim_late' } },
    ],
  ])('%j', async (args, body) => {
    const { code, out, asked } = await transfer(args)
    expect([code, out]).toEqual([0, ['tr_1  pending']])
    expect(asked).toEqual([['GET config'], [create, body]])
  })

  it('and prints the transfer as JSON', async () => {
    expect((await transfer(['--json'])).out).toEqual([JSON.stringify(created)])
  })
})

describe('sandbox transfer rejects', () => {
  it.each([
    [['--network', 'x'], '--network goes with --phone; a wallet is paid over a --rail'],
    [['--amount', 'ten'], '--amount must be such as 10.50'],
    [['--amount', '1.234'], '--amount must be such as 10.50'],
    [['--amount', '1.'], '--amount must be such as 10.50'],
    [['--amount', 'x1'], '--amount must be such as 10.50'],
    [['--amount', '1x'], '--amount must be such as 10.50'],
    [['--amount', '1.2x'], '--amount must be such as 10.50'],
    [['--phone', '1', '--to', 'w'], '--phone goes with --network, not with --to or --rail'],
    [['--phone', '1', '--rail', 'r'], '--phone goes with --network, not with --to or --rail'],
  ])('%j', async (args, message) => {
    const { code, err, asked } = await transfer(args)
    expect([code, err]).toEqual([
      2,
      [`webhook-inbox: ${message}`, 'See webhook-inbox sandbox transfer --help.'],
    ])
    expect(asked).toEqual([['GET config']])
  })
})

describe('an error of the service is an error of', () => {
  const problem = (status: number) =>
    new Answer(status, JSON.stringify({ title: 'Bad', status, detail: 'no such rail', code: 'bad_rail' }))

  it('the command line, where the service rejects the request', async () => {
    const { code, err } = await transfer([], problem(422))
    expect([code, err[0]]).toEqual([2, expect.stringContaining('no such rail')])
  })

  it('the service, where that fails', async () => {
    const { code, err } = await transfer(['--amount', '1'], problem(501))
    expect([code, err[0]]).toEqual([3, expect.stringContaining('webhook-inbox: ')])
  })
})
