import type { Approval, Transfer, Wallet } from 'webhook-inbox-client/schemas'
import { computed, signal } from 'webhook-inbox-ui/signals'
import { call } from '../api/call.js'
import type { Page } from '../api/records.js'
import { on } from '../api/stream.js'
import { readConfig } from './config.js'

export interface Rail {
  readonly id: string
  readonly summary: string
}

/** A request to the API, as the sandbox has logged it. */
export interface LoggedRequest {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly subject: string
  readonly isReplayed: boolean
  readonly code: string | null
  readonly milliseconds: number
  readonly at: string
}

export const rails = signal<readonly Rail[]>([])
export const wallets = signal<readonly Wallet[]>([])
export const transfers = signal<readonly Transfer[]>([])
export const approvals = signal<readonly Approval[]>([])
export const requests = signal<readonly LoggedRequest[]>([])
/** What all accounts of a currency add up to. */
export const sums = signal<readonly { currency: string; sum: string; lines: number }[]>([])
export const bankError = signal('')

export const waiting = computed(() => approvals.value.filter(({ status }) => status === 'pending'))

/** Milliseconds in which messages are gathered before the bank is read again. */
const gathering = 250
let isPlanned = false

/** Reads the bank soon. Changes that come together cause one reading. */
export function readBankSoon(): void {
  if (isPlanned) {
    return
  }
  isPlanned = true
  setTimeout(() => {
    isPlanned = false
    void readBank()
  }, gathering)
}

const listOf = async <Record>(path: string) => (await call<Page<Record>>('GET', path)).data

let begun = 0
/** The number of the newest reading whose answers are shown. */
let shown = 0

async function readBank(): Promise<void> {
  const mine = ++begun
  try {
    await readConfig()
    const [seeds, ledger, ...lists] = await Promise.all([
      call<{ rails: readonly Rail[] }>('GET', '/_sandbox/seeds'),
      call<{ data: typeof sums.value }>('GET', '/_sandbox/ledger'),
      listOf<Wallet>('/v1/wallets?limit=100'),
      listOf<Transfer>('/v1/transfers?limit=100'),
      listOf<Approval>('/v1/approvals?limit=100'),
      listOf<LoggedRequest>('/_sandbox/requests?limit=100'),
    ])
    // The answers of an older reading may come later.
    if (mine < shown) {
      return
    }
    shown = mine
    rails.value = seeds.rails
    sums.value = ledger.data
    ;[wallets.value, transfers.value, approvals.value, requests.value] = lists
    bankError.value = ''
  } catch (error) {
    bankError.value = (error as Error).message
  }
}

for (const type of ['reset', 'transfer', 'request', 'subscription']) {
  on(type, readBankSoon)
}
