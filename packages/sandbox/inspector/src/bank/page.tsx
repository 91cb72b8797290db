import { useEffect } from 'preact/hooks'
import { Note, Outcome } from 'webhook-inbox-ui'
import { bankError, readBankSoon, sums } from '../state/bank.js'
import { Requests } from './requests.js'
import { Subscriptions } from './subscriptions.js'
import { Transfers } from './transfers.js'
import { Wallets } from './wallets.js'

/** Wallets, transfers, subscriptions and requests. */
export function BankPage() {
  useEffect(readBankSoon, [])
  return (
    <main class="bank">
      <div class="bank-inner">
        <div class="bar">
          <h1>Bank</h1>
          {sums.value.map(({ currency, sum, lines }) => (
            <Outcome key={currency} outcome={/^-?0\.00$/.test(sum) ? 'good' : 'bad'} isPill>
              {lines.toLocaleString('en')} {currency} journal lines add up to {sum}
            </Outcome>
          ))}
        </div>
        {bankError.value && (
          <Note outcome="failed">
            <p>The bank cannot be read. {bankError.value}</p>
          </Note>
        )}
        <div class="two">
          <div class="stack">
            <Wallets />
            <Subscriptions />
          </div>
          <div class="stack">
            <Transfers />
            <Requests />
          </div>
        </div>
      </div>
    </main>
  )
}
