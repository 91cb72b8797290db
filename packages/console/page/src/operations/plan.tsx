import { useState } from 'preact/hooks'
import { Note, Outcome, Sideways } from 'webhook-inbox-ui'
import { pathPart } from '../../../src/path-part.js'
import type { PlanView, RunView } from '../../../src/wire.js'
import { ReasonForm } from '../act-bar.js'
import { act } from '../call.js'
import { may } from '../me.js'
import { go, hrefOf, route } from '../route.js'
import { counted, stateWords } from '../state-words.js'
import { actionNames, type BulkAction, bulkActions } from './words.js'

/** The conditions that a plan knows. A text of an error or an id is not among them. */
const conditions = ['state', 'type', 'group', 'resource', 'since', 'until'] as const

/** The conditions of an address that a plan cannot use. */
export const unusable = (query: URLSearchParams): string[] =>
  ['text', 'id', 'body'].filter((name) => query.get(name))

const whereOf = (query: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries(
    conditions.flatMap((name) => {
      const value = query.get(name)
      return value ? [[name, value]] : []
    }),
  )

/** The actions that take events of this state. */
const fitting = (state: string | null): BulkAction[] =>
  actionNames.filter((name) => !state || bulkActions[name].states.some((each) => each === state))

/** Chooses what to do with which events, shows how many that are, and starts. */
export function PlanPage() {
  const { query } = route.value
  const where = whereOf(query)
  const offered = fitting(query.get('state')).filter((name) => may(bulkActions[name].right))
  const asked = query.get('action')
  const [action, setAction] = useState(offered.find((name) => name === asked) ?? offered[0])
  const [plan, setPlan] = useState<PlanView>()
  return (
    <div class="inner stack narrow">
      <p class="faint">
        <a href={hrefOf('operations')}>Operations</a> / new
      </p>
      <h1>Act on all that match</h1>
      <Where where={where} />
      {action === undefined ? (
        <Note outcome="rejected">
          <p>You may not change these events. You need a right such as events:replay.</p>
        </Note>
      ) : (
        <>
          <Choice
            offered={offered}
            chosen={action}
            onChoose={(name) => {
              setAction(name)
              setPlan(undefined)
            }}
          />
          {plan ? (
            <Start plan={plan} action={action} />
          ) : (
            <Preview action={action} where={where} onPlan={setPlan} />
          )}
        </>
      )}
    </div>
  )
}

function Where({ where }: { readonly where: Readonly<Record<string, string>> }) {
  const given = Object.entries(where)
  return given.length > 0 ? (
    <dl class="life">
      {given.map(([name, value]) => (
        <>
          <dt key={name}>{name}</dt>
          <dd class="mono">{value}</dd>
        </>
      ))}
    </dl>
  ) : (
    <Note outcome="quarantined">
      <p>No condition is set: this covers every event that the act can take.</p>
    </Note>
  )
}

function Choice({
  offered,
  chosen,
  onChoose,
}: {
  readonly offered: readonly BulkAction[]
  readonly chosen: BulkAction
  readonly onChoose: (action: BulkAction) => void
}) {
  return (
    <fieldset class="choice stack tight">
      <legend class="label">What to do</legend>
      {offered.map((name) => (
        <label key={name} class="check">
          <input type="radio" name="action" checked={name === chosen} onChange={() => onChoose(name)} />
          <span>
            <strong>{bulkActions[name].word}</strong>{' '}
            <span class="faint">
              {bulkActions[name].states.join(' or ')} events. {bulkActions[name].effect}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** Nothing changes here: the events are selected and counted. */
function Preview({
  action,
  where,
  onPlan,
}: {
  readonly action: BulkAction
  readonly where: Readonly<Record<string, string>>
  readonly onPlan: (plan: PlanView) => void
}) {
  const [problem, setProblem] = useState<string>()
  const [isUnderWay, setIsUnderWay] = useState(false)
  const preview = async () => {
    setIsUnderWay(true)
    try {
      onPlan(await act<PlanView>('plans', { action, where }))
    } catch (error) {
      setProblem((error as Error).message)
    }
    setIsUnderWay(false)
  }
  return (
    <>
      <button type="button" class="primary" disabled={isUnderWay} onClick={() => void preview()}>
        {isUnderWay ? 'Counting…' : 'Preview'}
      </button>
      <p class="faint">A preview selects the events and counts them. It changes nothing.</p>
      {problem && (
        <p class="note" data-outcome="failed" role="alert">
          {problem}
        </p>
      )}
    </>
  )
}

function Start({ plan, action }: { readonly plan: PlanView; readonly action: BulkAction }) {
  const { id, count, isCapped, sample } = plan
  const [perSecond, setPerSecond] = useState('100')
  const [canary, setCanary] = useState(action === 'replay' ? '5' : '0')
  if (count === 0) {
    return (
      <Note outcome="ignored">
        <p>No event matches. Remove a condition, or choose another action.</p>
      </Note>
    )
  }
  const { word } = bulkActions[action]
  return (
    <section class="stack" aria-label="Preview">
      <Note outcome="accepted">
        <p>
          <strong>{counted(count, isCapped)}</strong>
          {isCapped
            ? ' match: an operation takes the oldest 100,000. Start another one for the rest.'
            : ' match. Events that arrive or fail from now on are not part of it.'}
        </p>
      </Note>
      {sample.length > 0 && (
        <div class="card">
          <Sideways label="Events, from side to side">
            <table aria-label="Some of these events">
              <tbody>
                {sample.map(({ id: event, type, state, lastError }) => (
                  <tr key={event}>
                    <td>
                      <Outcome outcome={stateWords[state][0]}>{stateWords[state][1]}</Outcome>
                    </td>
                    <td>{type}</td>
                    <td class="mono">
                      <a href={hrefOf('events', event)}>{event}</a>
                    </td>
                    <td class="cut faint" title={lastError}>
                      {lastError}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Sideways>
        </div>
      )}
      <ReasonForm
        button={`${word} ${counted(count)}`}
        isReady={Number(perSecond) > 0 && Number(canary) >= 0}
        onSubmit={async (reason) => {
          const body = { reason, perSecond: Number(perSecond), canary: Number(canary) }
          const run = await act<RunView>(`plans/${pathPart(id)}/run`, body)
          go(hrefOf('operations', run.id))
        }}
      >
        <div class="pair">
          <label class="field">
            <span>First, as a canary (0: none)</span>
            <input
              type="number"
              min="0"
              step="1"
              value={canary}
              onInput={({ currentTarget }) => setCanary(currentTarget.value)}
            />
          </label>
          <label class="field">
            <span>At most per second</span>
            <input
              type="number"
              min="1"
              value={perSecond}
              onInput={({ currentTarget }) => setPerSecond(currentTarget.value)}
            />
          </label>
        </div>
        <p class="faint">
          With a canary, the other events wait until these are done. The operation stops if one of them fails
          again.
        </p>
      </ReasonForm>
    </section>
  )
}
