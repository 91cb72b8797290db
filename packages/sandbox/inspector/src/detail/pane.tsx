import { Clip, Glyph, Note, Outcome, TabPanel, Tabs, useSignal } from 'webhook-inbox-ui'
import type { FullDelivery } from '../api/records.js'
import { amend, hrefOf, route } from '../route.js'
import { underWay } from '../state/deliveries.js'
import { verdictOf, verdictWords } from '../state/verdict.js'
import { answerOf, attemptsPlanned } from '../state/words.js'
import { ActionBar } from './action-bar.js'
import { Attempts } from './attempts.js'
import { BodyView } from './body-view.js'
import { DiffView } from './diff-view.js'
import { HeadersView } from './headers-view.js'
import { Life } from './life.js'
import { ofEvent, openError, opened } from './open-delivery.js'
import { sentenceOf } from './sentence.js'
import { Siblings } from './siblings.js'
import { Signature } from './signature.js'

/** One delivery: what happened, in a sentence, and the evidence below. */
export function Pane({ id }: { readonly id: string }) {
  const delivery = opened.value?.id === id ? opened.value : undefined
  return (
    <section class="pane" aria-label="Delivery">
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
      {delivery && (
        <div class="inner stack">
          <Head delivery={delivery} />
          <ActionBar delivery={delivery} />
          <Life delivery={delivery} />
          <Evidence delivery={delivery} />
        </div>
      )}
    </section>
  )
}

function Head({ delivery }: { readonly delivery: FullDelivery }) {
  const verdict = verdictOf(delivery)
  const { id, last, attempts, eventType, eventId, url } = delivery
  const { tone, text } = sentenceOf(delivery)
  return (
    <>
      <div class="bar">
        <Outcome outcome={verdict} isPill>
          {verdictWords[verdict]}
        </Outcome>
        <span class="faint">
          {attempts > 0 ? `attempt ${attempts} of ${attemptsPlanned(delivery)}` : 'no attempt yet'}
          {last && `, ${answerOf(last)} in ${Math.round(last.milliseconds)}\u00a0ms`}
          {underWay.value.has(id) && ', sending'}
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
        <p class="bar ids">
          <code>{eventId}</code> <Clip text={eventId} what="the event id" />
        </p>
        <p class="faint">
          delivery <code>{id}</code> to <code>{url}</code>
        </p>
      </div>
      {tone === 'plain' ? (
        <p>{text}</p>
      ) : (
        <Note outcome={tone}>
          <p>{text}</p>
        </Note>
      )}
    </>
  )
}

/** The tabs about one attempt, and those about the whole delivery. */
function Evidence({ delivery }: { readonly delivery: FullDelivery }) {
  const number = useSignal<number | undefined>(undefined)
  const choose = (chosen: number) => {
    number.value = chosen
  }
  const { tries, id } = delivery
  const attempt = tries.find((each) => each.number === number.value) ?? tries.at(-1)
  if (!attempt) {
    return null
  }
  const tabs = [
    { name: 'signature', label: 'Signature' },
    { name: 'body', label: 'Body' },
    { name: 'headers', label: 'Headers' },
    { name: 'response', label: 'Response' },
    { name: 'attempts', label: `Attempts ${tries.length}` },
    { name: 'diff', label: 'Diff' },
    { name: 'deliveries', label: `Deliveries ${ofEvent.value.length}` },
  ]
  const chosen = tabs.find(({ name }) => name === route.value.tab)?.name ?? 'signature'
  const isOfOneAttempt = ['signature', 'body', 'headers', 'response'].includes(chosen)
  return (
    <div class="stack">
      <Tabs tabs={tabs} chosen={chosen} label="Evidence" onChoose={(tab) => amend({ tab })} />
      <TabPanel name={chosen}>
        {isOfOneAttempt && tries.length > 1 && (
          <AttemptChoice attempts={tries} chosen={attempt.number} onChoose={choose} />
        )}
        {chosen === 'signature' && (
          <Signature key={`${id}:${attempt.number}`} delivery={delivery} attempt={attempt} />
        )}
        {chosen === 'body' && <BodyView base64={attempt.request.bodyBase64} of="request" />}
        {chosen === 'headers' && <HeadersView headers={attempt.request.headers} of="request" />}
        {chosen === 'response' && <Answer attempt={attempt} />}
        {chosen === 'attempts' && <Attempts attempts={tries} />}
        {chosen === 'diff' && <DiffView delivery={delivery} />}
        {chosen === 'deliveries' && <Siblings id={id} />}
      </TabPanel>
    </div>
  )
}

interface AttemptChoiceProps {
  readonly attempts: FullDelivery['tries']
  readonly chosen: number
  readonly onChoose: (number: number) => void
}

function AttemptChoice({ attempts, chosen, onChoose }: AttemptChoiceProps) {
  return (
    <label class="bar">
      <span class="label">Of attempt</span>
      <select value={chosen} onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}>
        {attempts.map(({ number }) => (
          <option key={number} value={number}>
            {number} of {attempts.length}
          </option>
        ))}
      </select>
    </label>
  )
}

function Answer({ attempt: { response, failure } }: { readonly attempt: FullDelivery['tries'][number] }) {
  return (
    <>
      {failure && (
        <Note outcome="failed">
          <p>
            No complete response: {failure.message}
            {failure.code && ` (${failure.code})`}.
          </p>
        </Note>
      )}
      {response && (
        <>
          <p>
            <b>HTTP {response.status}</b>
          </p>
          <BodyView base64={response.bodyBase64} of="response" isTruncated={response.isTruncated} />
          <HeadersView headers={response.headers} of="response" />
        </>
      )}
    </>
  )
}
