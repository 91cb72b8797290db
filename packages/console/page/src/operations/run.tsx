import { Ago, duration, Note, now, Outcome } from 'webhook-inbox-ui'
import { bulkActions } from '../../../src/bulk-actions.js'
import { pathPart } from '../../../src/path-part.js'
import type { RunDetail, RunNotes, RunView } from '../../../src/wire.js'
import { ActBar, type ActOffer } from '../act-bar.js'
import { digits } from '../digits.js'
import { UndoUntil, undoWarning } from '../discarded.js'
import { HeldOf } from '../held.js'
import { NeedsAudits } from '../needs-audits.js'
import { ProgressBar } from '../progress-bar.js'
import { rateWords } from '../rate.js'
import { hrefOf } from '../route.js'
import { counted } from '../state-words.js'
import { Term } from '../term.js'
import { Shown, useEverySecond, useView } from '../use-view.js'
import { againWords, CanaryFailed, CanaryWaits } from './canary.js'
import { HeldBack } from './held-back.js'
import { NoteList } from './note-list.js'
import { OutcomeWords } from './outcome-words.js'
import { idsOf, UnderWay } from './under-way.js'
import { WhatHappened } from './what-happened.js'
import { WhereList } from './where.js'
import {
  actWord,
  bulkWords,
  byWords,
  isGoing,
  isLeft,
  outcomeText,
  skippedOf,
  stateOf,
  verdictOf,
} from './words.js'

/** One operation on many events: how far it is, what became of each event, and undo. */
export function RunPage({ id }: { readonly id: string }) {
  const view = useView<RunDetail>(`runs/${pathPart(id)}`)
  const run = view.value
  useEverySecond(view, run !== undefined && (isGoing(run) || (run.waiting ?? 0) > 0))
  return (
    <div class="inner stack">
      <p class="faint">
        <a href={hrefOf('operations')}>Operations</a> / <span class="mono">{id}</span>
      </p>
      <Shown view={view} what="the operation">
        {(run) => <Detail run={run} />}
      </Shown>
    </div>
  )
}

function Detail({ run }: { readonly run: RunDetail }) {
  const { action, count, state, endedAt, createdAt, actor, reason, perSecond, canary, states } = run
  const verdict = verdictOf(run)
  return (
    <>
      <div class="bar">
        <h1>
          {bulkWords[action].word} {counted(count)}
        </h1>
        <Outcome outcome={verdict} isPill>
          {stateOf(run)}
        </Outcome>
      </div>
      <div role="status">
        <Note outcome={verdict}>
          <p>
            <OutcomeWords run={run} />
          </p>
          <CanaryFailed run={run} states={states} />
          {isLeft(run) && (
            <p>
              No process works on it. A process that runs events continues it, usually within half a minute.
            </p>
          )}
          <Acts run={run} />
          <UndoTime run={run} />
          {run.canaryWait && <CanaryWaits wait={run.canaryWait} />}
        </Note>
      </div>
      {states && <HeldBack run={run} states={states} />}
      <Progress run={run} />
      <Controls run={run} />
      <WhatHappened run={run} states={states} />
      {run.where && <WhereList where={run.where} />}
      <dl class="life">
        {actor !== undefined && (
          <>
            <Term name="Who">{actor}</Term>
            <Term name="Why">{reason}</Term>
          </>
        )}
        <Term name="Started">
          <Ago at={createdAt} />
        </Term>
        {endedAt && (
          <Term name={state === 'stopped' ? 'Stopped' : 'Ended'}>
            <Ago at={endedAt} />
            <span class="faint"> after {duration(Date.parse(endedAt) - Date.parse(createdAt))}</span>
          </Term>
        )}
        <Term name="Pace">
          at most {rateWords(perSecond, 1)}
          {canary > 0 && `, ${counted(canary)} first`}
        </Term>
      </dl>
      <NeedsAudits what="Who started or changed it and why" />
    </>
  )
}

/** How much of the plan was changed, left alone, or failed. The note above says the same as text. */
function Progress({ run }: { readonly run: RunView }) {
  const { count, applied, failed, restored, failedAgain: again = 0, waiting = 0 } = run
  const skipped = skippedOf(run)
  return (
    <ProgressBar
      whole={count}
      parts={[
        ['processed', Math.max(0, applied - again - waiting - restored)],
        ['duplicate', skipped],
        ['failed', failed + again],
        ['pending', waiting],
      ]}
    />
  )
}

/** How many acts are shown. All are in the audits. */
const mostActs = 5

/** Who paused, resumed, cancelled or undid it. */
function Acts({ run }: { readonly run: RunDetail }) {
  return (
    <>
      {run.acts?.slice(0, mostActs).map((act) => (
        <p key={`${act.action} ${act.at}`}>
          {actWord(act)} <Ago at={act.at} />
          {byWords(act)}
        </p>
      ))}
    </>
  )
}

/** Until when its discards can be undone. */
function UndoTime({ run: { action, applied, restored, undoUntil } }: { readonly run: RunDetail }) {
  if (action !== 'discard' || restored >= applied) {
    return null
  }
  return <p>{undoUntil === undefined ? 'It can no longer be undone.' : <UndoUntil at={undoUntil} />}</p>
}

/** What to know before the rest of a replay runs, as before its start. */
function Notes({ id }: { readonly id: string }) {
  const { value } = useView<RunNotes>(`runs/${pathPart(id)}/notes`)
  return <NoteList notes={value?.notes ?? []} />
}

function Controls({ run }: { readonly run: RunDetail }) {
  const {
    id,
    action,
    state,
    changes,
    undoUntil,
    applied,
    remaining,
    restored,
    underWay = [],
    where = {},
    states,
  } = run
  // The server rejects the act where the operation is another one by then.
  const seen = { state, changes }
  const path = `runs/${pathPart(id)}`
  const { right } = bulkActions[action]
  const again = {
    body: { seen, underWay: idsOf(underWay) },
    warning: (
      <>
        <UnderWay runs={underWay} />
        {action === 'replay' && <Notes id={id} />}
        {bulkWords[action].runs && <HeldOf where={where} />}
      </>
    ),
  }
  const offer = (name: string, word: string, button: string, done: string): ActOffer => ({
    path: `${path}/${name}`,
    body: { seen },
    word,
    button,
    action: right,
    done,
  })
  const acts: ActOffer[] = []
  const isOpen = state !== 'done' && state !== 'cancelled'
  if (isGoing(run)) {
    acts.push(offer('pause', 'Pause', 'Pause it', 'It is paused.'))
  }
  if (state === 'paused') {
    acts.push({
      ...offer('resume', 'Resume', 'Resume it', 'It continues.'),
      ...again,
      effect: restored > 0 ? outcomeText(run) : '',
    })
  }
  if (state === 'canary' || state === 'stopped') {
    const word = remaining > 0 ? `Continue with the other ${digits(remaining)}` : 'Continue'
    acts.push({
      ...offer('resume', word, word, 'It continues with the rest.'),
      ...again,
      title: `${word} of this operation`,
      effect:
        state === 'canary'
          ? 'The rest no longer waits for the events that went first.'
          : `${digits(run.failedAgain ?? 0)} of ${counted(applied)} of the canary failed again. ${states ? againWords(states) : ''} The rest is set to run, without another canary.`,
    })
  }
  if (isOpen) {
    acts.push({
      ...offer('cancel', 'Cancel', 'Cancel the rest', 'It is cancelled.'),
      effect: 'Changes that were made stay. The other events do not change.',
    })
  }
  if (undoUntil !== undefined && Date.parse(undoUntil) > now.value) {
    acts.push({
      path: 'undo',
      body: { of: id, seen },
      word: 'Undo the discard',
      title: 'Undo the discard of this operation',
      button: 'Restore them',
      action: 'events:discard',
      effect: `${isOpen ? 'Cancels the rest. ' : ''}Restores up to ${counted(applied - restored)}: those that have not arrived again.`,
      warning: undoWarning(undoUntil),
      done: (answer) => `${counted((answer as { undone: number }).undone)} restored.`,
    })
  }
  return acts.length > 0 ? <ActBar what="this operation" acts={acts} /> : null
}
