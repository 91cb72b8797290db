import { Note, Time } from 'webhook-inbox-ui'
import { awaySince } from './live.js'
import { me } from './me.js'
import { isOut, outWords } from './signed-out.js'
import { type WhyLost, whyLost } from './why-lost.js'

const facts: Partial<Record<WhyLost, string>> = {
  store_unavailable: 'The database does not respond. The program does.',
  busy: 'Another transaction locks the tables of the inbox.',
  ...outWords,
  rights_unknown: 'The program could not check your rights. If you are signed out, reload.',
  rights_too_slow: 'The function authorize of this program does not respond.',
  forbidden: 'This page does not update itself: that needs the right overview:read.',
}

/** Which side fails, in a sentence. */
export const lostWords = (): string =>
  whyLost.value ? (facts[whyLost.value] ?? 'The program does not respond.') : 'Not connected.'

/** When what the page shows was true, while it is not connected. Without the right to follow, each view is new when it is opened. */
export const asOf = (): number | undefined =>
  whyLost.value === 'forbidden' ? undefined : awaySince.value || undefined

/** Says which side fails and how old the page is, while it is not connected. */
export function Away() {
  const since = awaySince.value
  const why = whyLost.value
  const at = asOf()
  // A person who was never let in is told that in the page.
  const isShown = since !== undefined && (me.value !== undefined || !isOut(why))
  return (
    <div role="status">
      {isShown && (
        <Note outcome="failed">
          <p>
            <strong>{lostWords()}</strong>{' '}
            {at && (
              <>
                Everything below is as of <Time at={new Date(at).toISOString()} />. Only ages are current.{' '}
              </>
            )}
            {isOut(why) || why === 'forbidden' ? (
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
