import { Copy } from '../../ui/copy.js'
import { Glyph } from '../../ui/glyph.js'
import { Note, Outcome } from '../../ui/outcome.js'
import type { FullDelivery } from '../api/records.js'
import { hrefOf } from '../route.js'
import { verdictOf, verdictWords } from '../state/verdict.js'
import { answerOf, attemptsPlanned } from '../state/words.js'
import { openError, opened } from './open-delivery.js'

/** One delivery: what happened, in a sentence, and the evidence below. */
export function Pane({ id }: { readonly id: string }) {
  const delivery = opened.value?.id === id ? opened.value : undefined
  return (
    <aside class="pane" aria-label="Delivery">
      {openError.value && (
        <div class="inner stack">
          <Note outcome="failed">
            <p>This delivery cannot be shown. {openError.value}</p>
          </Note>
          <a class="button" href={hrefOf({ id: undefined })}>
            Back to the list
          </a>
        </div>
      )}
      {!delivery && !openError.value && <p class="inner faint">Reading the delivery…</p>}
      {delivery && <Whole delivery={delivery} />}
    </aside>
  )
}

function Whole({ delivery }: { readonly delivery: FullDelivery }) {
  const verdict = verdictOf(delivery)
  const { last, attempts, eventType, eventId } = delivery
  return (
    <div class="inner stack">
      <div class="bar">
        <Outcome outcome={verdict} isPill>
          {verdictWords[verdict]}
        </Outcome>
        <span class="faint">
          try {attempts} of {attemptsPlanned(delivery)}
          {last && `, ${answerOf(last)} in ${Math.round(last.milliseconds)} ms`}
        </span>
        <a
          class="button quiet square end"
          href={hrefOf({ id: undefined })}
          aria-label="Close"
          title="Close (Esc)"
        >
          <Glyph name="close" />
        </a>
      </div>
      <div>
        <h2 class="name">{eventType}</h2>
        <p class="bar">
          <code>{eventId}</code> <Copy text={eventId} what="the event id" />
        </p>
      </div>
    </div>
  )
}
