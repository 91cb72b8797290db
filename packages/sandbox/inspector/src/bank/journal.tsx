import { useEffect } from 'preact/hooks'
import type { LedgerEntry, Transfer } from 'webhook-inbox-client/schemas'
import { Note, useSignal } from 'webhook-inbox-ui'
import { call } from '../api/call.js'
import type { Page } from '../api/records.js'
import { money, ofMinor } from './money.js'

type State = 'reading' | { readonly error: string } | { readonly lines: readonly LedgerEntry[] }

/** What a transfer has written into the journal. */
export function Journal({ transfer }: { readonly transfer: Transfer }) {
  const state = useSignal<State>('reading')
  useEffect(() => {
    const path = `/v1/ledger/entries?limit=100&transferId=${encodeURIComponent(transfer.id)}`
    call<Page<LedgerEntry>>('GET', path).then(
      ({ data }) => {
        state.value = { lines: data }
      },
      (error: Error) => {
        state.value = { error: error.message }
      },
    )
  }, [])
  return (
    <div class="inner stack tight">
      <h3>
        Journal of <code>{transfer.id}</code>
      </h3>
      <Content state={state.value} transfer={transfer} />
    </div>
  )
}

function Content({ state, transfer }: { readonly state: State; readonly transfer: Transfer }) {
  if (state === 'reading') {
    return <p class="faint">Reading the journal…</p>
  }
  if ('error' in state) {
    return (
      <Note outcome="failed">
        <p>The journal cannot be read. {state.error}</p>
      </Note>
    )
  }
  if (state.lines.length > 0) {
    return <Lines lines={state.lines} />
  }
  return (
    <p class="faint">
      No lines: only a settled transfer writes them.
      {transfer.failure && ` This one failed: ${transfer.failure.reason}`}
    </p>
  )
}

function Lines({ lines }: { readonly lines: readonly LedgerEntry[] }) {
  const sum = lines.reduce((total, { amount }) => total + Math.round(Number(amount) * 100), 0)
  return (
    <table aria-label="Journal lines">
      <tbody>
        {lines.map(({ id, account, amount, currency }) => (
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
  )
}
