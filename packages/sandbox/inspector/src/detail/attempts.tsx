import { Outcome, Table, TableHead, Time } from 'webhook-inbox-ui'
import type { Attempt } from '../api/records.js'
import { endOf, verdictOfAttempt, verdictWords } from '../state/verdict.js'
import { answerOf } from '../state/words.js'

/** The attempts of a delivery, and where the time of each went. */
export function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  return (
    <Table label="Attempts" class="wraps stacks">
      <TableHead headings={[['Attempt', 'number'], 'Verdict', 'Sent', 'Response', 'Timing']} />
      <tbody>
        {attempts.map((attempt) => (
          <AttemptRow key={attempt.number} attempt={attempt} />
        ))}
      </tbody>
    </Table>
  )
}

function AttemptRow({ attempt }: { readonly attempt: Attempt }) {
  const end = endOf(attempt)
  const verdict = verdictOfAttempt(end)
  const { failure, faults, code } = attempt
  return (
    <tr>
      <td class="number">{attempt.number}</td>
      <td>
        <Outcome outcome={verdict}>{verdictWords[verdict]}</Outcome>
      </td>
      <td>
        <Time at={attempt.startedAt} isExact />
      </td>
      <td>
        {answerOf(end)} {code && <code>{code}</code>}
        {failure && <p class="faint">{failure.message}</p>}
        {faults.length > 0 && <p class="faint">chaos: {faults.join(', ')}</p>}
      </td>
      <td class="faint">{timingWords(attempt)}</td>
    </tr>
  )
}

function timingWords({ timings: { connected, sent, answered, ended } }: Attempt): string {
  const at = (label: string, time: number | undefined) =>
    time !== undefined && `${label} ${Math.round(time)} ms`
  return [at('connected', connected), at('sent', sent), at('responded', answered), at('ended', ended)]
    .filter(Boolean)
    .join(', ')
}
