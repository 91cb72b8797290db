import type { AuditEntry, Receiver, SeenEvent, StoredEvent } from 'webhook-inbox'
import { orNothingDone } from './or-nothing-done.js'

type Shown = Pick<StoredEvent, 'id' | 'state' | 'generation'>

/**
 * Changes an event only if it still is as the operator saw it. Otherwise two operators would do the same. Throws
 * `NothingDoneError`, which says what changed.
 */
export async function asShown<T>(
  receiver: Receiver,
  { id, state, generation }: Shown,
  change: (options: { readonly seen: SeenEvent }) => Promise<T>,
): Promise<T> {
  return orNothingDone('event_changed', change({ seen: { state, generation } }), async () => {
    const what = await whatChanged(receiver, { id, state, generation })
    return `${id} changed since you looked: ${what}`
  })
}

async function whatChanged(receiver: Receiver, { id, state, generation }: Shown): Promise<string> {
  const now = await receiver.inspect(id)
  const audits = await receiver.audits({ eventId: id, limit: 10 })
  const by = (action: AuditEntry['action']) => {
    const audit = audits.find((each) => each.action === action)
    return audit ? ` by ${audit.actor} at ${audit.at}` : ''
  }
  if (!now) {
    return `already discarded${by('discard')}`
  }
  if (now.generation === generation && now.state === state) {
    return 'an edited copy of it was run'
  }
  return now.generation > generation ? `already replayed${by('replay')}` : `it is ${now.state} now`
}
