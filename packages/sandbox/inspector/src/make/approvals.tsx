import { useMemo } from 'preact/hooks'
import { call } from '../api/call.js'
import { waiting } from '../state/bank.js'
import { shortId } from '../state/words.js'
import { attempted } from './attempted.js'
import { ProblemOf } from './problem.js'

/** Transfers that wait for a decision. */
export function Approvals() {
  const form = useMemo(attempted, [])
  const decide = (id: string, decision: 'approved' | 'rejected') =>
    form.run(async () => {
      await call('POST', `/_sandbox/approvals/${encodeURIComponent(id)}/decide`, { decision })
      return `The transfer is ${decision}.`
    })
  if (waiting.value.length === 0) {
    return <p class="faint">Nothing waits. Send a transfer on the rail sim_approval.</p>
  }
  return (
    <>
      <ul class="stack">
        {waiting.value.map(({ id, transferId }) => (
          <li key={id} class="stack tight">
            <p>
              Transfer <code title={transferId}>{shortId(transferId)}</code> waits.
            </p>
            <div class="bar">
              <button type="button" onClick={() => void decide(id, 'approved')}>
                Approve
              </button>
              <button type="button" onClick={() => void decide(id, 'rejected')}>
                Reject
              </button>
            </div>
          </li>
        ))}
      </ul>
      <ProblemOf error={form.error.value} />
    </>
  )
}
