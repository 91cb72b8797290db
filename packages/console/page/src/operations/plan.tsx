import { useState } from 'preact/hooks'
import { Note } from 'webhook-inbox-ui'
import { actionNames, bulkActions, planConditions, statesOf } from '../../../src/bulk-actions.js'
import type { BulkAction, EventState, PlanView } from '../../../src/wire.js'
import { Alarm } from '../alarm.js'
import { prepare } from '../call.js'
import { may, needs } from '../me.js'
import { givenIn, hrefOf, route } from '../route.js'
import { useProblem } from '../use-problem.js'
import { Start } from './start.js'
import { WhereList } from './where.js'
import { bulkWords } from './words.js'

/** The conditions of an address that a plan cannot use. */
export const unusable = (query: URLSearchParams): string[] =>
  givenIn(query, ['text', 'id', 'body']).map(([name]) => name)

const whereOf = (query: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries(givenIn(query, planConditions))

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
    <div class="inner stack">
      <p class="faint">
        <a href={hrefOf('operations')}>Operations</a> / new
      </p>
      <h1>Act on all that match</h1>
      <Where where={where} />
      {action === undefined ? (
        <Note outcome="rejected">
          <p>You may not change these events. {needs('events:replay')}</p>
        </Note>
      ) : (
        <>
          <Choice
            offered={offered}
            chosen={action}
            state={where.state as EventState | undefined}
            onChoose={(name) => {
              setAction(name)
              setPlan(undefined)
            }}
          />
          {action === 'replay' && where.state === 'done' && (
            <Note outcome="failed">
              <p>These events are done. Their handlers run a second time.</p>
            </Note>
          )}
          {plan ? (
            <Start plan={plan} action={action} where={where} onPlan={setPlan} />
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
    <WhereList where={where} />
  ) : (
    <Note outcome="quarantined">
      <p>No condition is set: this covers all events in the states below.</p>
    </Note>
  )
}

function Choice({
  offered,
  chosen,
  state,
  onChoose,
}: {
  readonly offered: readonly BulkAction[]
  readonly chosen: BulkAction
  /** The state that the filter asks for. */
  readonly state: EventState | undefined
  readonly onChoose: (action: BulkAction) => void
}) {
  return (
    <fieldset class="choice stack tight">
      <legend class="label">What to do</legend>
      {offered.map((name) => (
        <label key={name} class="check">
          <input type="radio" name="action" checked={name === chosen} onChange={() => onChoose(name)} />
          <span>
            <strong>{bulkWords[name].word}</strong>{' '}
            <span class="faint">
              {statesOf(name, state).join(' or ')} events. {bulkWords[name].effect}
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
  const [problem, setProblem] = useProblem()
  const [isUnderWay, setIsUnderWay] = useState(false)
  const preview = async () => {
    setIsUnderWay(true)
    try {
      onPlan(await prepare<PlanView>('plans', { action, where }))
    } catch (error) {
      setProblem(error)
    }
    setIsUnderWay(false)
  }
  return (
    <>
      <button type="button" class="primary" disabled={isUnderWay} onClick={() => void preview()}>
        {isUnderWay ? 'Counting…' : 'Preview'}
      </button>
      <p class="faint">A preview counts the events and changes nothing.</p>
      {problem && <Alarm>{problem}</Alarm>}
    </>
  )
}
