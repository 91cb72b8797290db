import type { BulkRun } from 'webhook-inbox'
import type { RunView } from '../wire.js'

/** How many acts a view shows. */
const most = 20

/** Who paused, resumed, cancelled or undid a run. Without `isNamed` it says when alone. */
export async function runActs(run: BulkRun, isNamed: boolean): Promise<Required<Pick<RunView, 'acts'>>> {
  const acts = await run.acts()
  return {
    acts: acts.slice(0, most).map(({ actor, reason, ...act }) => (isNamed ? { ...act, actor, reason } : act)),
  }
}
