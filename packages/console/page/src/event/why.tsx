import { Ago, Note } from 'webhook-inbox-ui'
import type { Explanation } from '../../../src/wire.js'
import { EventLink } from '../event-link.js'
import { NeedsAudits } from '../needs-audits.js'
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

/** The reason as text, and where to look next. */
export function WhyWords({
  explanation: { reason, sentence, earlier, times = [] },
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
          <>
            <EventLink id={of} />{' '}
          </>
        )}
        <Sentence text={sentence.startsWith(start) ? sentence.slice(start.length) : sentence} times={times} />
      </p>
      {earlier !== undefined && (
        <p>
          <a href={hrefOf('events', earlier)}>The event before it</a>
        </p>
      )}
      {reason === 'paused' && (
        <>
          <p>
            <a href={hrefOf('overview')}>Where it can be resumed</a>
          </p>
          {of === undefined && <NeedsAudits what="Who paused it and why" />}
        </>
      )}
    </>
  )
}

/** A sentence of the receiver. Its times are shown as everywhere else on the page. */
function Sentence({ text, times }: { readonly text: string; readonly times: readonly string[] }) {
  const given = times.map((time) => time.replaceAll('.', '\\.')).join('|')
  const parts = given === '' ? [text] : text.split(new RegExp(`(?:(?<= )at )?(${given})`))
  return <>{parts.map((part, at) => (at % 2 === 1 ? <Ago key={part} at={part} /> : part))}</>
}
