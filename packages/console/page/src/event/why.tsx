import { Note } from 'webhook-inbox-ui'
import type { Explanation } from '../../../src/wire.js'
import { hrefOf } from '../route.js'

/** Why an event does not move, and where to look next. */
export function Why({ explanation }: { readonly explanation: Explanation }) {
  const { reason, sentence, earlier } = explanation
  return (
    <Note outcome={reason === 'due' || reason === 'running' ? 'in_progress' : 'pending'}>
      <p>{sentence}</p>
      {earlier !== undefined && (
        <p>
          <a href={hrefOf('events', earlier)}>The event before it</a>
        </p>
      )}
      {reason === 'paused' && (
        <p>
          <a href={hrefOf('overview')}>Where it can be resumed</a>
        </p>
      )}
    </Note>
  )
}
