import { useState } from 'preact/hooks'
import { Note, Table } from 'webhook-inbox-ui'
import { pathPart } from '../../../src/path-part.js'
import type { BulkAction, PlannedCauses, PlanView, RunView } from '../../../src/wire.js'
import { act, type CallError, prepare } from '../call.js'
import { digits } from '../digits.js'
import { EventLink } from '../event-link.js'
import { errorOf } from '../events/row.js'
import { HeldOf } from '../held.js'
import { Known } from '../known.js'
import { ReasonForm } from '../reason-form.js'
import { go, hrefOf } from '../route.js'
import { StateMark } from '../state-mark.js'
import { counted } from '../state-words.js'
import { NoteList } from './note-list.js'
import { idsOf, UnderWay } from './under-way.js'
import { bulkWords } from './words.js'

/** Starts the operation over the events of a plan. */
export function Start({
  plan,
  action,
  where,
  onPlan,
}: {
  readonly plan: PlanView
  readonly action: BulkAction
  readonly where: Readonly<Record<string, string>>
  /** Another preview, or none. */
  readonly onPlan: (plan: PlanView | undefined) => void
}) {
  const { id, count, isCapped, sample, causes, underWay, notes } = plan
  const [isKnown, setIsKnown] = useState(false)
  const [perSecond, setPerSecond] = useState('100')
  const [canary, setCanary] = useState(action === 'replay' ? '5' : '0')
  if (count === 0) {
    return (
      <>
        <UnderWay runs={underWay} />
        <Note outcome="ignored">
          <p>No event matches. Remove a condition, or choose another action.</p>
        </Note>
      </>
    )
  }
  const { word, runs } = bulkWords[action]
  const isSecondRun = action === 'replay' && where.state === 'done'
  const wrongPace = paceProblem(perSecond)
  const wrongCanary = canaryProblem(canary)
  return (
    <section class="stack" aria-label="Preview">
      <Note outcome="accepted">
        <p>
          <strong>{counted(count, isCapped)}</strong>
          {isCapped
            ? ' match: an operation takes the oldest 100,000. Start another one for the rest.'
            : ` match${count === 1 ? 'es' : ''}. Events that arrive or fail from now on are not part of it.`}
        </p>
      </Note>
      <UnderWay runs={underWay} />
      {causes && <Causes causes={causes} />}
      {sample.length > 0 && <Sample events={sample} />}
      {action === 'replay' && <p class="faint">Events whose edited copy is done or is to run are skipped.</p>}
      <NoteList notes={notes} />
      {runs && <HeldOf where={where} />}
      <ReasonForm
        button={`${word} ${counted(count)}`}
        isDestructive={action === 'discard'}
        draft={`run ${action} ${new URLSearchParams(where)}`}
        next={{ word: 'Make a new preview', take: () => onPlan(undefined) }}
        blocked={
          wrongPace || wrongCanary
            ? 'Correct the number above first.'
            : isSecondRun && !isKnown
              ? 'Confirm first that each runs a second time.'
              : undefined
        }
        onSubmit={async (reason) => {
          const body = {
            reason,
            perSecond: Number(perSecond),
            canary: Number(canary),
            underWay: idsOf(underWay),
          }
          const run = await act<RunView>(`plans/${pathPart(id)}/run`, body).catch(
            async (error: CallError) => {
              const { underWay: now } = error.said
              if (now) {
                // The other operation may have changed events of this preview.
                onPlan(
                  await prepare<PlanView>('plans', { action, where }).catch(() => ({
                    ...plan,
                    underWay: now,
                  })),
                )
              }
              throw error
            },
          )
          go(hrefOf('operations', run.id))
        }}
      >
        <div class="pair">
          {runs && (
            <label class="field">
              <span>First, as a canary (0: none)</span>
              <input
                type="number"
                min="0"
                step="1"
                value={canary}
                onInput={({ currentTarget }) => setCanary(currentTarget.value)}
              />
              {wrongCanary && <span class="wrong">{wrongCanary}</span>}
            </label>
          )}
          <label class="field">
            <span>At most per second</span>
            <input
              type="number"
              min="0"
              step="any"
              value={perSecond}
              onInput={({ currentTarget }) => setPerSecond(currentTarget.value)}
            />
            {wrongPace && <span class="wrong">{wrongPace}</span>}
          </label>
        </div>
        {runs && (
          <p class="faint">
            With a canary, the other events wait until these are done. The operation stops if one is dead, or
            fails again for the same cause.
          </p>
        )}
        {isSecondRun && (
          <Known
            text="I know that the handler of each event runs a second time."
            isKnown={isKnown}
            onChange={setIsKnown}
          />
        )}
      </ReasonForm>
    </section>
  )
}

/** The limits of the receiver for a run. */
const paceProblem = (text: string): string | undefined =>
  Number(text) > 0 && Number(text) <= 1_000_000 ? undefined : 'Write a number above 0, at most 1,000,000.'

const canaryProblem = (text: string): string | undefined =>
  text.trim() !== '' && Number.isSafeInteger(Number(text)) && Number(text) >= 0
    ? undefined
    : 'Write a whole number, 0 or more.'

function Causes({ causes: { counted, isCapped, rows, rest } }: { readonly causes: PlannedCauses }) {
  return (
    <div>
      <h2>{isCapped ? `The oldest ${digits(counted)} that failed` : 'Those that failed'}, by cause</h2>
      <ul>
        {rows.map(({ group, title, count }) => (
          <li key={group}>
            <a href={hrefOf('failures', group)}>{title}</a>: {digits(count)}
          </li>
        ))}
        {rest > 0 && <li>other causes: {digits(rest)}</li>}
      </ul>
    </div>
  )
}

function Sample({ events }: { readonly events: PlanView['sample'] }) {
  return (
    <div class="card">
      <Table label="Some of these events" class="sample">
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <td class="verdict">
                <StateMark state={event.state} />
              </td>
              <td class="type">{event.type}</td>
              <td>
                <EventLink id={event.id} />
              </td>
              <td class="cut faint" title={errorOf(event)}>
                {errorOf(event)}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  )
}
