import { Note, Time } from 'webhook-inbox-ui'
import { awaySince } from './live.js'
import { me } from './me.js'
import { signedOut } from './signed-out.js'
import { type WhyLost, whyLost } from './why-lost.js'

const facts: Readonly<Record<WhyLost, string>> = {
  program: 'The program does not respond.',
  store: 'The database does not respond. The program does.',
  session: signedOut,
  right: 'This page does not update itself: that needs the right overview:read.',
}

/** Which side fails, in a sentence. */
export const lostWords = (): string => (whyLost.value ? facts[whyLost.value] : 'Not connected.')

/** Says which side fails and that the figures are old, while the page is not connected. */
export function Away() {
  const since = awaySince.value
  const why = whyLost.value
  // A person who was never let in is told that in the page.
  const isShown = since !== undefined && (me.value !== undefined || why !== 'session')
  return (
    <div role="status">
      {isShown && (
        <Note outcome="failed">
          <p>
            <strong>{lostWords()}</strong>{' '}
            {since > 0 && (
              <>
                The figures are from <Time at={new Date(since).toISOString()} />.{' '}
              </>
            )}
            {why === 'session' || why === 'right' ? (
              <button type="button" onClick={() => location.reload()}>
                Reload
              </button>
            ) : (
              'This page connects again by itself.'
            )}
          </p>
        </Note>
      )}
    </div>
  )
}
