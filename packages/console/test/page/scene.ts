import type { IncomingMessage } from 'node:http'
import express from 'express'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openPage } from 'webhook-inbox-ui/browser'
import { consoleHandler, type MountedOptions } from '../../src/index.js'
import { type Inbox, listen, openInbox, sqlite } from '../rig.js'

/** Mounts the console below a prefix; resolves to its address without the last slash. */
export async function mount(
  { receiver }: Inbox,
  options: Partial<MountedOptions<IncomingMessage>> = {},
): Promise<string> {
  const app = express()
  app.use(
    '/ops/inbox',
    consoleHandler(receiver, {
      authorize: () => true,
      actor: () => 'ada@bank',
      environment: 'production',
      ...options,
    }),
  )
  return `${await listen(app)}/ops/inbox`
}

/** Opens a mounted console in a window of its own. */
export const openConsole = (
  url: string,
  { hash = '', ...options }: BrowserContextOptions & { hash?: string } = {},
): Promise<Page> => openPage(url, `/${hash}`, options)

/** A row of the open list. */
export const cell = (page: Page, name: string) => page.locator('.list tbody tr', { hasText: name })

interface Settled {
  readonly data: { readonly transferId: string; readonly isRefused?: boolean }
}

interface Approved {
  readonly data: { readonly approval: { readonly state: string } }
}

const handlers = {
  async 'transfer.settled'({ data }: Settled) {
    if (data.isRefused) {
      throw new Error('the ledger answered 503 to POST /credits')
    }
  },
  async 'approval.updated'({ data }: Approved) {
    data.approval.state.toUpperCase()
  },
  async 'ledger.matched'() {},
}

/** Events of one transfer run in their order. */
const ordered = { resource: ({ data }: Settled) => data.transferId }

/**
 * An inbox in which much has happened: dead events of two causes, one of them by a new shape of the data; events that wait for
 * their next try; deliveries in quarantine; several events of one resource.
 */
export async function openBusyInbox(): Promise<Inbox> {
  const store = await sqlite()
  const first = await openInbox(async () => store, handlers, { attempts: 1 }, ordered)
  for (let at = 0; at < 24; at++) {
    await first.send('transfer.settled', { transferId: `tr_${at}`, amount: '120.50' }, `evt_settled_${at}`)
    await first.send('ledger.matched', { transferId: `tr_${at}` }, `evt_matched_${at}`)
  }
  await first.send('approval.updated', { approval: { state: 'granted', by: 'two' } }, 'evt_approved')
  await first.until(({ done }) => done === 49)
  for (let at = 0; at < 12; at++) {
    await first.send('transfer.settled', { transferId: `tr_${at}`, isRefused: true }, `evt_refused_${at}`)
  }
  await first.send('approval.updated', { approval: { status: 'granted' } }, 'evt_reshaped_1')
  await first.send('approval.updated', { approval: { status: 'denied' } }, 'evt_reshaped_2')
  await first.sendRaw('no JSON')
  await first.send('transfer.settled', { transferId: 'tr_0', amount: '999.00' }, 'evt_settled_0')
  await first.until(({ dead, quarantined }) => dead === 14 && quarantined === 2)
  await first.receiver.stop()
  const second = await openInbox(
    async () => store,
    handlers,
    { attempts: 5, firstPauseSeconds: 3600 },
    ordered,
  )
  for (let at = 0; at < 3; at++) {
    await second.send('payout.returned', { payoutId: `po_${at}` }, `evt_returned_${at}`)
  }
  await second.until(({ failed }) => failed === 3)
  return second
}
