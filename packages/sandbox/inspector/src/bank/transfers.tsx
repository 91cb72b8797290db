import type { Transfer } from 'webhook-inbox-client/schemas'
import { type GlyphName, Outcome, Time } from 'webhook-inbox-ui'
import { hrefOf, route } from '../route.js'
import { transfers } from '../state/bank.js'
import { Card } from './card.js'
import { Journal } from './journal.js'
import { ofMinor } from './money.js'

const states: Readonly<Record<string, readonly [outcome: GlyphName, word: string]>> = {
  pending: ['pending', 'Pending'],
  pending_approval: ['pending', 'Waits for approval'],
  processing: ['in_progress', 'Processing'],
  settled: ['processed', 'Settled'],
  failed: ['failed', 'Failed'],
  rejected: ['rejected', 'Rejected'],
}

const mostShown = 25

/** Transfers with their states, and the journal lines of the one that is open. */
export function Transfers() {
  const { id: openId } = route.value
  const open = transfers.value.find(({ id }) => id === openId) ?? transfers.value[0]
  const shown = transfers.value.slice(0, mostShown)
  return (
    <Card
      title="Transfers"
      aside={
        transfers.value.length > mostShown
          ? `the newest ${mostShown}`
          : `${transfers.value.length}, newest first`
      }
      empty="No transfer yet. Send one on the page Deliveries."
      columns={['State', 'Rail', 'From, to', ['Amount', 'number'], ['Time', 'number']]}
      rows={shown.map((transfer) => (
        <TransferRow key={transfer.id} transfer={transfer} isOpen={transfer.id === open?.id} />
      ))}
    >
      {open && <Journal key={`${open.id}${open.status}`} transfer={open} />}
    </Card>
  )
}

function TransferRow({ transfer, isOpen }: { readonly transfer: Transfer; readonly isOpen: boolean }) {
  const { id, status, ledgerState, rail, source, destination, amountMinor, currency, createdAt } = transfer
  const isException = ledgerState === 'exception'
  const [outcome, word] = states[status] ?? ['pending', status]
  const to = typeof destination === 'string' ? destination : destination?.phone
  return (
    <tr class={isOpen ? 'open' : undefined}>
      <td>
        <Outcome outcome={isException ? 'quarantined' : outcome}>
          <a href={hrefOf({ page: 'bank', id })} aria-current={isOpen ? 'true' : undefined}>
            {word}
            {isException && ', exception'}
          </a>
        </Outcome>
      </td>
      <td class="mono">{rail}</td>
      <td class="mono">
        {source} → {to}
      </td>
      <td class="number">
        {ofMinor(amountMinor ?? 0)} <span class="faint">{currency}</span>
      </td>
      <td class="number faint">
        <Time at={createdAt} />
      </td>
    </tr>
  )
}
