import type { Approval, Client } from 'webhook-inbox-client'
import { defineCommand } from '../command.js'
import { exit, NothingDoneError, UsageError } from '../exit.js'
import { printable } from '../printable.js'
import { connect, connectionOptions } from './connection.js'
import { serviceClient, withServiceErrors } from './service-client.js'

export const approve = defineCommand({
  usage: '[TRANSFER_ID|APPROVAL_ID]',
  about:
    'Approves a transfer that waits for an approval, as the rail sim_approval does, or rejects it with --reject. Without an id it decides the only one that waits.',
  positionals: { min: 0, max: 1 },
  options: {
    reject: { type: 'boolean', help: 'Reject it: the transfer ends' },
    ...connectionOptions,
  },
  examples: [
    ['', 'Approves the transfer that waits.'],
    ['tr_01K4Z --reject', 'Rejects a transfer.'],
  ],

  async run({ values, positionals, json, print, world }) {
    const connection = connect({ values, print, world })
    const approvals = await withServiceErrors(approvalsAt(await serviceClient(connection)))
    const { id } = chosen(approvals, positionals[0])
    const decision = values.reject ? 'rejected' : 'approved'
    const decided = await connection.send<Approval>('POST', `approvals/${encodeURIComponent(id)}/decide`, {
      decision,
    })
    if (json) {
      print.json(decided)
    } else {
      print.line(`${decided.transferId}  ${decided.status}`)
    }
    return exit.good
  },
})

async function approvalsAt(client: Client): Promise<Approval[]> {
  const approvals: Approval[] = []
  for await (const approval of client.approvals.list()) {
    approvals.push(approval)
  }
  return approvals
}

function chosen(approvals: readonly Approval[], given: string | undefined): Approval {
  const meant =
    given === undefined
      ? approvals
      : approvals.filter(({ id, transferId }) => [id, transferId].includes(given as never))
  const [only, ...others] = meant.filter(({ status }) => status === 'pending')
  if (only === undefined) {
    throw new NothingDoneError(nothingWaits(given, given === undefined ? undefined : meant[0]))
  }
  if (others.length > 0) {
    const some = [only, ...others].slice(0, 5).map(({ transferId }) => transferId)
    throw new UsageError(`several transfers wait: ${some.join(', ')}; name one`)
  }
  return only
}

function nothingWaits(given: string | undefined, decided: Approval | undefined): string {
  if (decided) {
    return `${printable(given ?? '')} is already ${decided.status}; nothing was done`
  }
  const what = given === undefined ? 'no transfer' : `neither a transfer nor an approval ${printable(given)}`
  return `${what} waits for an approval; make one: webhook-inbox sandbox transfer --rail sim_approval; under a virtual clock it waits once the clock was advanced`
}
