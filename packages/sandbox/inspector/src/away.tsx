import { Note, now, Time } from 'webhook-inbox-ui'
import { noAnswer } from './api/call.js'
import { isLost } from './api/stream.js'
import { config } from './state/config.js'

/** Says that the sandbox does not respond and how old the page is. */
export function Away() {
  return (
    <div role="status">
      {isLost() && (
        <Note outcome="failed">
          <p>
            <strong>{noAnswer}</strong>{' '}
            {config.value && (
              <>
                Everything below is as of <Time at={new Date(now.value).toISOString()} />.
              </>
            )}
          </p>
        </Note>
      )}
    </div>
  )
}
