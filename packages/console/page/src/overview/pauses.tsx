import { Note } from 'webhook-inbox-ui'
import { ActBar } from '../act-bar.js'
import { isWhole } from '../holds.js'
import { can, may } from '../me.js'
import { NeedsAudits } from '../needs-audits.js'
import { openDialog } from '../open-dialog.js'
import { pauses } from '../paused.js'
import { PausedBy, resume } from '../resume.js'
import { PauseDialog } from './pause-dialog.js'

/** The switch for the whole endpoint, one type or one resource. */
export function PauseButton() {
  return can('flow') && may('consumption:pause') ? (
    <div class="bar acts">
      <button type="button" onClick={() => openDialog(<PauseDialog />)}>
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
        const { type, resource } = pause
        const what = type ?? (resource === undefined ? 'everything' : `resource ${resource}`)
        return (
          <Note key={`${type}/${resource}`} outcome={isWhole(pause) ? 'failed' : 'quarantined'}>
            <div class="bar">
              <div class="grow">
                <PausedBy of={pause} what={what} />
                <NeedsAudits what="Who paused it and why" />
              </div>
              <ActBar what={what} acts={[resume(what, pause)]} />
            </div>
          </Note>
        )
      })}
    </section>
  )
}
