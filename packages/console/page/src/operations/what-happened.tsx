import { useState } from 'preact/hooks'
import { Ago } from 'webhook-inbox-ui'
import { pathPart } from '../../../src/path-part.js'
import type { AppliedRow, AppliedStates, LeftAloneRow, RunView } from '../../../src/wire.js'
import { EventLink } from '../event-link.js'
import { OutcomeTable, Row } from '../outcome-table.js'
import { route } from '../route.js'
import { counted } from '../state-words.js'
import { Became, becameOf, becameWords } from './became.js'
import { Paged } from './paged.js'
import { bulkWords, skippedOf, skipWords } from './words.js'

/** How many events the operation changed, and what became of them. Then those that it did not change. */
export function WhatHappened({
  run,
  states,
}: {
  readonly run: RunView
  /** What became of the changed events, once it is known. */
  readonly states: AppliedStates | undefined
}) {
  const { action, applied, failed, remaining, skipped, restored } = run
  const [isListed, setIsListed] = useState(false)
  const became = becameOf(route.value.query)
  const left = skippedOf(run) + failed
  return (
    <section class="card">
      <OutcomeTable of="Events">
        {applied - restored > 0 || restored === 0 ? (
          <Row
            outcome={run.failedAgain ? 'failed' : run.waiting ? 'pending' : 'processed'}
            word={bulkWords[action].past}
            count={applied - restored}
          >
            {states && <Became run={run} states={states} />}
          </Row>
        ) : null}
        {restored > 0 && (
          <Row outcome="canceled" word="Restored" count={restored}>
            discarded, then undone
          </Row>
        )}
        {Object.entries(skipped).map(([because, count = 0]) => (
          <Row key={because} outcome="duplicate" word="Skipped" count={count}>
            {skipWords[because] ?? because}
          </Row>
        ))}
        {failed > 0 && (
          <Row outcome="failed" word="Failed" count={failed}>
            the queue rejected them
          </Row>
        )}
        {remaining > 0 && <Row outcome="pending" word="Not handled" count={remaining} />}
      </OutcomeTable>
      {became !== undefined && (
        <div class="inner stack">
          <h2>Events: {becameWords[became]}</h2>
          <Paged
            path={`runs/${pathPart(run.id)}/applied?state=${became}&`}
            what="the changed events"
            row={({ eventId, isChangedSince, lastError, retryAt }: AppliedRow) => (
              <>
                <EventLink id={eventId} />{' '}
                <span class="faint">
                  {isChangedSince && 'changed again since '}
                  {retryAt && (
                    <>
                      next attempt <Ago at={retryAt} />{' '}
                    </>
                  )}
                  {lastError}
                </span>
              </>
            )}
          />
        </div>
      )}
      {left > 0 && (
        <div class="inner stack">
          <button type="button" aria-expanded={isListed} onClick={() => setIsListed(!isListed)}>
            {isListed ? 'Hide' : 'Show'} the {counted(left)} that did not change
          </button>
          {isListed && (
            <Paged
              path={`runs/${pathPart(run.id)}/left-alone?`}
              what="these events"
              row={({ place, eventId, because, detail }: LeftAloneRow) => (
                <>
                  {eventId === undefined ? <span class="mono">no. {place}</span> : <EventLink id={eventId} />}{' '}
                  {skipWords[because] ?? because}
                  {detail && <span class="faint">: {detail}</span>}
                </>
              )}
            />
          )}
        </div>
      )}
    </section>
  )
}
