import { Note, Time } from 'webhook-inbox-ui'
import type { PauseRow } from '../../src/wire.js'
import { ActBar } from './act-bar.js'
import { useView } from './use-view.js'

/** What is paused, by whom and why; and the switch for the whole endpoint. */
export function Pauses() {
  const { value: pauses = [] } = useView<readonly PauseRow[]>('flow/pauses')
  const isWhole = pauses.some(({ type, resource }) => type === undefined && resource === undefined)
  return (
    <section class="stack tight" aria-label="Pauses">
      {pauses.map(({ type, resource, at, actor, reason }) => (
        <Note key={`${type}/${resource}`} outcome="quarantined">
          <p>
            Paused: {type ?? resource ?? 'everything'}. {actor}, <Time at={at} />: {reason}
          </p>
        </Note>
      ))}
      <ActBar
        path="flow"
        what="everything of this endpoint"
        acts={[
          isWhole
            ? {
                name: 'resume',
                word: 'Resume',
                button: 'Resume everything',
                action: 'consumption:pause',
                done: 'Events run again.',
              }
            : {
                name: 'pause',
                word: 'Pause',
                button: 'Pause everything',
                action: 'consumption:pause',
                done: 'Events are accepted, and wait.',
              },
        ]}
      />
    </section>
  )
}
