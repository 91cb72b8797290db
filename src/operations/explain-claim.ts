import { isSilent, lateSeconds } from '../flow/beat.js'
import type { ClaimState, SeenWorker } from '../store/flow-store.js'
import type { Explanation } from './explanation.js'

/**
 * Explains an event that a process has claimed. `hasQueue`: only processes that report run events. If none has reported lately,
 * the one with the claim may be frozen or dead, so nothing says that the handler still runs.
 */
export function explainClaim(
  id: string,
  { state: _, ...times }: Extract<ClaimState, { state: 'running' }>,
  workers: readonly SeenWorker[],
  hasQueue: boolean,
): Explanation {
  const { since, until } = times
  const isStalled = hasQueue && workers.every(isSilent)
  const place = workers.length === 1 ? ` in the process ${workers[0]?.process}` : ''
  const started = since ? `: its handler started at ${since}${place}` : place
  const silence = isStalled ? ` No process has reported for ${lateSeconds} s.` : ''
  const next = until ? ` If that process ends, the event can run again at ${until}.` : ''
  return {
    reason: isStalled ? 'stalled' : 'running',
    sentence: `Event ${id} ${isStalled ? 'may not run any more' : 'is running now'}${started}.${silence}${next}`,
    ...times,
  }
}
