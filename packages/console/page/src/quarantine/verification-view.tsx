import { useState } from 'preact/hooks'
import { type GlyphName, Note, Outcome } from 'webhook-inbox-ui'
import { OutcomeTable, Row } from '../outcome-table.js'
import { ProgressBar } from '../progress-bar.js'
import { hrefOf } from '../route.js'
import { deliveriesOf } from '../state-words.js'
import {
  checkedIn,
  continueVerification,
  isRunning,
  keptIn,
  stopVerification,
  type Verification,
  verification,
} from './verification.js'

const states: Readonly<Record<Verification['state'], readonly [glyph: GlyphName, word: string]>> = {
  running: ['in_progress', 'Running'],
  stopping: ['in_progress', 'Stops after this part'],
  stopped: ['canceled', 'Stopped'],
  failed: ['failed', 'Interrupted'],
  done: ['processed', 'Ended'],
}

/** How far the check is, and what became of the deliveries. */
export function VerificationView({ found }: { readonly found: Verification }) {
  const { code, reason, count, isCapped, released, state, problem } = found
  const [checked, stay] = [checkedIn(found), keptIn(found)]
  const [glyph, word] = states[state]
  const verdict = state === 'done' && stay > 0 ? 'quarantined' : glyph
  return (
    <>
      <div class="bar">
        <Outcome outcome={verdict} isPill>
          {word}
        </Outcome>
        {isRunning(found) ? (
          <button type="button" disabled={state === 'stopping'} onClick={stopVerification}>
            Stop
          </button>
        ) : (
          <>
            {state !== 'done' && (
              <button type="button" class="primary" onClick={() => continueVerification(found)}>
                Continue with the rest
              </button>
            )}
            <button
              type="button"
              onClick={() => {
                verification.value = undefined
              }}
            >
              New preview
            </button>
          </>
        )}
      </div>
      <div role="status">
        <Note outcome={verdict}>
          <p>
            <strong>
              Checked: {checked.toLocaleString('en')} of {deliveriesOf(count, isCapped)}. Released:{' '}
              {released.toLocaleString('en')}. Still in quarantine: {stay.toLocaleString('en')}.
              {found.gone > 0 && ` Gone: ${found.gone.toLocaleString('en')}.`}
            </strong>
          </p>
          {problem !== undefined && (
            <p>{problem} Of the part without an answer, up to 20 may be released and not counted here.</p>
          )}
          {isRunning(found) && <p>Keep this page open. What is released stays released if you stop.</p>}
        </Note>
      </div>
      <ProgressBar
        whole={Math.max(count, checked)}
        parts={[
          ['processed', released],
          ['duplicate', found.gone],
          ['quarantined', stay],
        ]}
      />
      <WhatHappened found={found} left={isCapped || isRunning(found) ? 0 : Math.max(0, count - checked)} />
      <dl class="life">
        <dt>Cause</dt>
        <dd>{code === '' ? 'all' : <code>{code}</code>}</dd>
        <dt>Why</dt>
        <dd>{reason}</dd>
      </dl>
    </>
  )
}

function WhatHappened({ found, left }: { readonly found: Verification; readonly left: number }) {
  const { released, kept, gone } = found
  return (
    <section class="card">
      <OutcomeTable of="Deliveries">
        <Row outcome="processed" word="Released" count={released}>
          each is an accepted event now
        </Row>
        {[...kept].map(([code, deliveries]) => (
          <Row key={code} outcome="quarantined" word="Still here" count={deliveries.length}>
            <Reasons code={code} deliveries={deliveries} />
          </Row>
        ))}
        {gone > 0 && (
          <Row outcome="duplicate" word="Gone" count={gone}>
            they had left the quarantine before their check
          </Row>
        )}
        {left > 0 && <Row outcome="pending" word="Not checked" count={left} />}
      </OutcomeTable>
    </section>
  )
}

/** The deliveries of each code that are listed before "Show more". */
const fewest = 3

function Reasons({
  code,
  deliveries,
}: {
  readonly code: string
  readonly deliveries: Verification['kept'] extends ReadonlyMap<string, infer Kept> ? Kept : never
}) {
  const [isListed, setIsListed] = useState(false)
  const shown = isListed ? deliveries.slice(0, 100) : deliveries.slice(0, fewest)
  return (
    <>
      <code>{code}</code>
      <ul>
        {shown.map(
          ({ key, eventId, detail }) =>
            key && (
              <li key={key}>
                <a class="mono" href={hrefOf('quarantine', key)}>
                  {eventId ?? key.slice(-12)}
                </a>
                {detail && `: ${detail}`}
              </li>
            ),
        )}
      </ul>
      {deliveries.length > fewest && !isListed && (
        <button type="button" class="quiet" onClick={() => setIsListed(true)}>
          Show more
        </button>
      )}
    </>
  )
}
