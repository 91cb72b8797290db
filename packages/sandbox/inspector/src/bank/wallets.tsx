import { wallets } from '../state/bank.js'
import { Card } from './card.js'
import { money } from './money.js'

/** Wallets with their balances, as the journal gives them. */
export function Wallets() {
  return (
    <Card
      title="Wallets"
      aside={wallets.value.length}
      empty="Reading the wallets…"
      columns={['Wallet', 'Owner', ['Available', 'number'], ['Reserved', 'number']]}
      rows={wallets.value
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ id, owner, currency, balance }) => (
          <tr key={id}>
            <td class="mono">{id}</td>
            <td class="mono faint">{owner}</td>
            <td class="number">
              <b>{money(balance?.available ?? '')}</b> <span class="faint">{currency}</span>
            </td>
            <td class={balance?.pending === '0.00' ? 'number faint' : 'number'}>
              {money(balance?.pending ?? '')}
            </td>
          </tr>
        ))}
    />
  )
}
