import type { Settings } from '../options/settings.js'
import type { AuditEntry } from '../store/audit-log.js'
import type { Run } from '../store/bulk-run.js'
import { inboxOf, quarantinedUnder } from './inbox-of.js'

/** A search for the last discard of an event reads at most this many entries. */
const mostEntries = 100

/** The audit of the last discard under a key, or of the undo that followed it. `undefined` if none is kept. */
export async function lastDiscard(
  settings: Settings,
  about: { readonly key: string } | { readonly run: string },
): Promise<AuditEntry | undefined> {
  const { endpoint } = settings
  const entries = await inboxOf(settings).auditLog?.list({ endpoint, ...about, limit: mostEntries })
  return entries?.find(({ action }) => action === 'discard' || action === 'undo')
}

/** Why `undo` can restore nothing for these keys or this run. */
export async function whyNothingCame(
  settings: Settings,
  keys: readonly string[],
  run: Run | undefined,
): Promise<string> {
  if (run) {
    const last = await lastDiscard(settings, { run: run.id })
    return last?.key === undefined ? 'this run has discarded nothing' : whyNotBack(settings, last.key, last)
  }
  for (const key of keys) {
    const last = await lastDiscard(settings, { key })
    if (last) {
      return whyNotBack(settings, key, last)
    }
  }
  return 'nothing was discarded under it'
}

async function whyNotBack(settings: Settings, key: string, entry: AuditEntry): Promise<string> {
  // After a discard by a run, somebody may have restored the event by its id.
  const last = (await lastDiscard(settings, { key })) ?? entry
  if (last.action === 'undo') {
    return `${last.actor} restored it at ${last.at}`
  }
  const who = `${last.actor} discarded it at ${last.at}`
  const isBack = (await inboxOf(settings).read(key)) ?? (await quarantinedUnder(settings, key))
  return isBack ? `it was delivered again after ${who}` : `${who}, and its window for undo has ended`
}
