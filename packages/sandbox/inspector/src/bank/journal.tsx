import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { LedgerEntry, Transfer } from 'webhook-inbox-client/schemas'
import { call } from '../api/call.js'
import type { Page } from '../api/records.js'
import { money, ofMinor } from './money.js'

/** What a transfer has written into the journal. */
export function Journal({ transfer }: { readonly transfer: Transfer }) {
  const lines = useSignal<readonly LedgerEntry[]>([])
  useEffect(() => {
    const path = `/v1/ledger/entries?limit=100&transferId=${encodeURIComponent(transfer.id)}`
    call<Page<LedgerEntry>>('GET', path).then(
      ({ data }) => {
        lines.value = data
      },
      () => {},
    )
  }, [])
  const sum = lines.value.reduce((total, { amount }) => total + Math.round(Number(amount) * 100), 0)
  return (
    <div class="inner stack tight">
      <h3>
        Journal of <code>{transfer.id}</code>
      </h3>
      {lines.value.length === 0 ? (
        <p class="faint">
          No lines: only a settled transfer writes them.
          {transfer.failure && ` This one failed: ${transfer.failure.reason}`}
        </p>
      ) : (
        <table aria-label="Journal lines">
          <tbody>
            {lines.value.map(({ id, account, amount, currency }) => (
              <tr key={id}>
                <td class="mono">{account}</td>
                <td class="number">
                  {amount.startsWith('-') ? '' : '+'}
                  {money(amount)} <span class="faint">{currency}</span>
                </td>
              </tr>
            ))}
            <tr>
              <td>Sum</td>
              <td class="number">
                <b>{ofMinor(sum)}</b>
              </td>
            </tr>
          </tbody>
        </table>
      )}
    </div>
  )
}
