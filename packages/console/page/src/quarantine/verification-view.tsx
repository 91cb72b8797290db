import { useState } from 'preact/hooks'
import { type GlyphName, Note, Outcome } from 'webhook-inbox-ui'
import { digits } from '../digits.js'
import { OutcomeTable, Row } from '../outcome-table.js'
import { Parts } from '../parts.js'
import { ProgressBar } from '../progress-bar.js'
import { hrefOf } from '../route.js'
import { deliveriesOf } from '../state-words.js'
import { Term } from '../term.js'
import { deliveryName } from './delivery-name.js'
import {
  checkedIn,
  closeVerification,
  continueVerification,
  countOf,
  isRunning,
  leftOf,
  stopVerification,
  type Verification,
} from './verification.js'

export const verificationWords: Readonly<
  Record<Verification['state'], readonly [glyph: GlyphName, word: string]>
> = {
  running: ['in_progress', 'Running'],
  stopping: ['in_progress', 'Stops after this part'],
  stopped: ['canceled', 'Stopped'],
  failed: ['failed', 'Interrupted'],
  done: ['processed', 'Ended'],
}

/** How far the check is, in two short sentences. */
export const checkedWords = (found: Verification): string =>
  `Checked: ${digits(checkedIn(found))} of ${deliveriesOf(found.count, found.isCapped)}. Released: ${digits(found.released)}.`

/** How far the check is, and what became of the deliveries. */
export function VerificationView({ found }: { readonly found: Verification }) {
  const { code, reason, count, released, state, problem } = found
  const [checked, stay, failed] = [checkedIn(found), countOf(found.kept), countOf(found.unchecked)]
  const [glyph, word] = verificationWords[state]
  const ended = failed > 0 ? 'failed' : 'quarantined'
  const outcome = failed + stay > 0 ? ended : released > 0 ? glyph : 'ignored'
  const verdict = state === 'done' ? outcome : glyph
  const gone = found.gone > 0 ? ` Gone: ${digits(found.gone)}.` : ''
  const unchecked = failed > 0 ? ` Not checked: ${digits(failed)}.` : ''
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
            <button type="button" onClick={closeVerification}>
              New preview
            </button>
          </>
        )}
      </div>
      <div role="status">
        <Note outcome={verdict}>
          <p>
            <strong>
              <Parts of={`${checkedWords(found)} Still in quarantine: ${digits(stay)}.${gone}${unchecked}`} />
            </strong>
          </p>
          {problem !== undefined && <p>{problem}</p>}
          {isRunning(found) && <p>Keep this page open. What is released stays released if you stop.</p>}
        </Note>
      </div>
      <ProgressBar
        whole={Math.max(count, checked + failed)}
        parts={[
          ['processed', released],
          ['duplicate', found.gone],
          ['quarantined', stay],
          ['failed', failed],
        ]}
      />
      <WhatHappened found={found} />
      {!isRunning(found) && (
        <p>
          The <a href={hrefOf('audits', undefined, [['action', 'verifyAgain']])}>audits</a> show your reason
          for what was released. For what stays here, your reason is only in the log of the program.
        </p>
      )}
      <dl class="life">
        <Term name="Cause">{code === '' ? 'all' : <code>{code}</code>}</Term>
        <Term name="Why">{reason}</Term>
      </dl>
    </>
  )
}

function WhatHappened({ found }: { readonly found: Verification }) {
  const { released, kept, gone, unchecked } = found
  const left = isRunning(found) ? 0 : leftOf(found)
  return (
    <section class="card">
      <OutcomeTable of="Deliveries">
        <Row outcome="processed" word="Released" count={released}>
          each is an accepted event now
        </Row>
        {reasonRows('quarantined', 'Still here', kept)}
        {reasonRows('failed', 'Not checked', unchecked)}
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

/** A row for each code. */
const reasonRows = (outcome: GlyphName, word: string, of: Verification['kept']) =>
  [...of].map(([code, deliveries]) => (
    <Row key={code} outcome={outcome} word={word} count={deliveries.length}>
      <Reasons code={code} deliveries={deliveries} />
    </Row>
  ))

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
          ({ key, detail, ...delivery }) =>
            key && (
              <li key={key}>
                <a class="mono" href={hrefOf('quarantine', key)}>
                  {deliveryName(delivery)}
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
