import { Ago, Note } from 'webhook-inbox-ui'
import type { PauseRow } from '../../../src/wire.js'
import { ActBar, type ActOffer } from '../act-bar.js'
import { can, may } from '../me.js'
import { NeedsAudits } from '../needs-audits.js'
import { openDialog } from '../open-dialog.js'
import { pauses } from '../paused.js'
import { PauseDialog } from './pause-dialog.js'

const isWhole = ({ type, resource }: PauseRow) => type === undefined && resource === undefined

const resume = (what: string, body: object): ActOffer => ({
  path: 'flow/resume',
  body,
  word: 'Resume',
  button: `Resume ${what}`,
  action: 'consumption:pause',
  done: 'Events run again.',
})

/** The switch for the whole endpoint, one type or one resource. */
export function PauseButton() {
  return can('flow') && may('consumption:pause') ? (
    <div class="bar acts">
      <button type="button" onClick={() => openDialog(<PauseDialog isPaused={pauses.value.some(isWhole)} />)}>
        Pause…
      </button>
    </div>
  ) : null
}

/** What is paused, by whom and why. */
export function Pauses() {
  return (
    <section class="stack tight" aria-label="Pauses" hidden={pauses.value.length === 0}>
      {pauses.value.map((pause) => {
        const { type, resource, at, actor, reason } = pause
        const what = type ?? (resource === undefined ? 'everything' : `resource ${resource}`)
        return (
          <Note key={`${type}/${resource}`} outcome="quarantined">
            <div class="bar">
              <div class="grow">
                <p>
                  Paused: {what}. {actor !== undefined && `${actor}, `}
                  <Ago at={at} />
                  {reason === undefined ? '.' : `: ${reason}`}
                </p>
                <NeedsAudits what="Who paused it and why" />
              </div>
              <ActBar what={what} acts={[resume(what, { type, resource })]} />
            </div>
          </Note>
        )
      })}
    </section>
  )
}
