import { Note, Time } from 'webhook-inbox-ui'
import { awaySince } from './live.js'

/** Says that the figures are old, while the program does not respond. */
export function Away() {
  const since = awaySince.value
  return (
    <div role="status">
      {since !== undefined && (
        <Note outcome="failed">
          <p>
            <strong>
              Not connected since <Time at={new Date(since).toISOString()} />
            </strong>
            ; the figures are from then. This page connects again by itself.
          </p>
        </Note>
      )}
    </div>
  )
}
