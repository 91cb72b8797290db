import { Note } from 'webhook-inbox-ui'
import type { Explanation } from '../../../src/wire.js'
import { hrefOf } from '../route.js'

/** Why an event does not move. */
export function Why({ explanation }: { readonly explanation: Explanation }) {
  const { reason } = explanation
  return (
    <Note outcome={reason === 'due' || reason === 'running' ? 'in_progress' : 'pending'}>
      <WhyWords explanation={explanation} />
    </Note>
  )
}

/** The reason in words, and where to look next. */
export function WhyWords({
  explanation: { reason, sentence, earlier },
  of,
}: {
  readonly explanation: Explanation
  /** The id of the event, if its page is not the one that shows this. It becomes a link. */
  readonly of?: string
}) {
  const start = `Event ${of} `
  return (
    <>
      <p>
        {of !== undefined && (
          <a class="mono" href={hrefOf('events', of)}>
            {of}
          </a>
        )}{' '}
        {sentence.startsWith(start) ? sentence.slice(start.length) : sentence}
      </p>
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
    </>
  )
}
