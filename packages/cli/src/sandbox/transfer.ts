import { type Call, defineCommand, type Options } from '../command.js'
import { exit, UsageError } from '../exit.js'
import { connect, connectionOptions } from './connection.js'
import { serviceClient, withServiceErrors } from './service-client.js'

const options = {
  rail: { type: 'string', value: 'RAIL', help: 'What happens to it; see sandbox seeds. Default: sim_settle' },
  from: { type: 'string', value: 'WALLET', default: 'wallet_kes_ada', help: 'The wallet that pays' },
  to: { type: 'string', value: 'WALLET', help: 'The wallet that receives. Default: wallet_kes_ben' },
  phone: {
    type: 'string',
    value: 'NUMBER',
    help: 'Pay to this telephone by mobile money, instead of to a wallet',
  },
  network: { type: 'string', value: 'NETWORK', help: 'The network of the telephone. Default: sim_settle' },
  amount: { type: 'string', value: 'AMOUNT', default: '10.50', help: 'In major units' },
  currency: { type: 'string', value: 'CODE', default: 'KES', help: 'The currency of both wallets' },
  ...connectionOptions,
} as const satisfies Options

export const transfer = defineCommand({
  about:
    'Creates a transfer through the API, as a client of the service does. Its rail decides what happens to it.',
  options,
  examples: [
    ['', 'A transfer that settles: transfer.settled, then ledger.matched.'],
    ['--rail sim_fail_funds', 'A transfer that fails.'],
    ['--phone +254700000001 --network sim_late', 'A payout to a telephone that settles ten minutes later.'],
  ],

  async run({ values, json, print, world }) {
    const client = await serviceClient(connect({ values, print, world }))
    const created = await withServiceErrors(client.transfers.create(requestOf(values)))
    if (json) {
      print.json(created)
    } else {
      print.line(`${created.id}  ${created.status}`)
    }
    return exit.good
  },
})

function requestOf(values: Call<typeof options>['values']) {
  const { rail, from: source, to, phone, network, amount, currency } = values
  if (phone === undefined) {
    if (network !== undefined) {
      throw new UsageError('--network goes with --phone; a wallet is paid over a --rail')
    }
    if (!/^\d+(\.\d{1,2})?$/.test(amount)) {
      throw new UsageError('--amount must be such as 10.50')
    }
    const destination = to ?? 'wallet_kes_ben'
    return { source, destination, amount: Number(amount), currency, rail: rail ?? 'sim_settle' }
  }
  if (to !== undefined || rail !== undefined) {
    throw new UsageError('--phone goes with --network, not with --to or --rail')
  }
  const destination = { type: 'mobile_money', network: network ?? 'sim_settle', phone }
  return { source, destination, amount, currency }
}
