import { useMemo } from 'preact/hooks'
import { bound, useSignal } from 'webhook-inbox-ui'
import { call } from '../api/call.js'
import { money } from '../bank/money.js'
import { Choice } from '../choice.js'
import { rails, wallets } from '../state/bank.js'
import { attempted } from './attempted.js'
import { ProblemOf } from './problem.js'

const mostAtOnce = 10

/** Sends money on any rail, through the API as a program does. */
export function TransferForm() {
  const form = useMemo(attempted, [])
  const rail = useSignal('sim_settle')
  const source = useSignal('wallet_kes_ada')
  const destination = useSignal('wallet_kes_ben')
  const amount = useSignal('10.50')
  const from = wallets.value.find(({ id }) => id === source.value)
  const targets = wallets.value.filter(
    ({ id, currency }) => id !== source.value && currency === from?.currency,
  )
  const target = targets.find(({ id }) => id === destination.value) ?? targets[0]

  const send = (times: number) =>
    form.run(async () => {
      const transfer = {
        source: source.value,
        destination: target?.id ?? destination.value,
        amount: Number(amount.value),
        currency: from?.currency,
        rail: rail.value,
      }
      const sent = await Promise.all(
        Array.from({ length: times }, () => call<{ id: string }>('POST', '/v1/transfers', transfer)),
      )
      return times === 1 ? `Sent ${sent[0]?.id}.` : `Sent ${times} transfers.`
    })

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void send(1)
      }}
    >
      <Choice label="Rail" options={optionsOf(rails.value)} {...bound(rail)} />
      <p class="faint">{rails.value.find(({ id }) => id === rail.value)?.summary}</p>
      <Choice label="From" options={optionsOf(wallets.value)} {...bound(source)} />
      {from && (
        <p class="faint">
          {money(from.balance?.available ?? '')} {from.currency} available
        </p>
      )}
      <Choice label="To" options={optionsOf(targets)} {...bound(destination)} value={target?.id} />
      <label class="field">
        <span>Amount in {from?.currency ?? 'KES'}</span>
        <input type="number" min="0.01" step="0.01" required {...bound(amount)} />
      </label>
      <ProblemOf error={form.error.value} />
      <div class="bar">
        <button type="submit" class="primary" disabled={form.isBusy.value}>
          Send transfer
        </button>
        <button type="button" disabled={form.isBusy.value} onClick={() => void send(mostAtOnce)}>
          Send {mostAtOnce}
        </button>
      </div>
    </form>
  )
}

const optionsOf = (records: readonly { readonly id: string }[]) => records.map(({ id }) => [id, id] as const)
