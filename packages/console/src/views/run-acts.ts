import type { BulkRun } from 'webhook-inbox'
import type { RunView } from '../wire.js'

/** How many acts a view shows. */
const most = 20

/** Who paused, resumed, cancelled or undid a run, and how many events came back. Without `isNamed` it says when alone. */
export async function runActs(
  run: BulkRun,
  isNamed: boolean,
): Promise<Required<Pick<RunView, 'acts' | 'restored'>>> {
  const acts = await run.acts()
  return {
    restored: acts.reduce((sum, { restored = 0 }) => sum + restored, 0),
    acts: acts.slice(0, most).map(({ actor, reason, ...act }) => (isNamed ? { ...act, actor, reason } : act)),
  }
}
