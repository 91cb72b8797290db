import type { IncomingMessage } from 'node:http'
import express from 'express'
import Libsql from 'libsql'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openPage } from 'webhook-inbox-ui/browser'
import { consoleHandler, type MountedOptions } from '../../src/index.js'
import { type Inbox, listen, openInbox, sqliteFile } from '../rig.js'

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
      actor: () => 'operator',
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
 * An inbox in which much has happened. Some events are dead: of two causes, one of them a new shape of the data. Some wait for
 * their next attempt. Two deliveries are in quarantine. Several events have one resource.
 */
export async function openBusyInbox(): Promise<Inbox & { readonly file: string }> {
  const { store, file } = await sqliteFile()
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
  return { ...second, file }
}

/** Dates the events back, one half a minute before the next, so that the plots of an hour are full. */
export function spreadOverAnHour(file: string): void {
  const database = new Libsql(file)
  const minutes = 60_000
  database.exec(`
    UPDATE webhook_inbox_events SET received_at = received_at - (SELECT max(seq) FROM webhook_inbox_events) * 42000 + seq * 42000,
      done_at = done_at - (SELECT max(seq) FROM webhook_inbox_events) * 42000 + seq * 42000 + (seq * 7919 % 13) * 40;
    UPDATE webhook_inbox_events SET created_at = strftime('%Y-%m-%dT%H:%M:%fZ', received_at / 1000.0 - 0.2, 'unixepoch');
    UPDATE webhook_inbox_failure_groups SET first_seen_at = first_seen_at - ${11 * minutes} - length(title) * 5000;
    UPDATE webhook_inbox_workers SET started_at = started_at - ${14 * minutes};
    UPDATE webhook_inbox_version_starts SET started_at = started_at - ${14 * minutes};
  `)
  database.close()
}

/** Records that a version started at each of these times, in minutes before now. */
export function addVersions(file: string, minutesAgo: readonly number[]): void {
  const database = new Libsql(file)
  const add = database.prepare(
    "INSERT INTO webhook_inbox_version_starts (endpoint, version, started_at) VALUES ('payments', ?, ?)",
  )
  for (const [at, minutes] of minutesAgo.entries()) {
    add.run(`3.0.${at}`, Date.now() - minutes * 60_000)
  }
  database.close()
}

/** Adds done events of a type, the last of them twenty hours ago. Of thirty, more than twenty are missing. */
export const addSilentType = (file: string, type: string, count = 30): void =>
  addDone(file, type, { count, lastAt: Date.now() - 20 * 60 * 60_000, pause: 1_800_000 })

/** Adds done events of a type, one `pause` in milliseconds before the next. */
export function addDone(
  file: string,
  type: string,
  { count, lastAt, pause }: { readonly count: number; readonly lastAt: number; readonly pause: number },
): void {
  const database = new Libsql(file)
  database
    .prepare(`
    INSERT INTO webhook_inbox_events (key, state, queued, attempt, received_at, due_at, done_at, forget_at, endpoint, id, type,
      created_at, content_hash, body)
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers LIMIT ?3)
    SELECT ?2 || n, 'done', 1, 1, ?1 - n * ?4, 0, ?1 - n * ?4 + 40, 9e12, 'payments', 'evt_' || ?2 || n, ?2,
      strftime('%Y-%m-%dT%H:%M:%fZ', (?1 - n * ?4) / 1000.0, 'unixepoch'), 'hash', CAST('{}' AS BLOB) FROM numbers`)
    .run(lastAt, type, count, pause)
  database.close()
}
