import { useState } from 'preact/hooks'
import { bytesOf, Code, Copy, duration, Glyph, Note, Outcome, prettyJson, Time } from 'webhook-inbox-ui'
import type { Body, EventDetail } from '../../src/wire.js'
import { ActBar } from './act-bar.js'
import { AuditTable } from './audits.js'
import { may } from './me.js'
import { hrefOf, route } from './route.js'
import { sentenceOf, stateWords } from './state-words.js'
import { Shown, useView } from './use-view.js'

/** One event: the sentence, what can be done, its life, its body, and who did what. */
export function EventPane({ id }: { readonly id: string }) {
  const view = useView<EventDetail>(`events/${encodeURIComponent(id)}`)
  return (
    <div class="inner stack">
      <div class="bar">
        <h2 class="mono grow">{id}</h2>
        <Copy text={id} what="the id" />
        <a
          class="button quiet square"
          href={hrefOf('events', undefined, route.value.query)}
          aria-label="Back to the list"
        >
          <Glyph name="close" />
        </a>
      </div>
      <Shown view={view} what="the event">
        {(event) => <Detail event={event} />}
      </Shown>
    </div>
  )
}

function Detail({ event }: { readonly event: EventDetail }) {
  const [glyph, word] = stateWords[event.state]
  // Of an event that ended, the error below says why.
  const isOpen = event.state === 'accepted' || event.state === 'failed'
  return (
    <>
      <div class="bar">
        <Outcome outcome={glyph} isPill>
          {word}
        </Outcome>
        <strong>{event.type}</strong>
      </div>
      <p>{isOpen && event.explanation ? event.explanation.sentence : sentenceOf(event)}</p>
      {event.lastError !== undefined && (
        <Note outcome="failed">
          <p class="mono">{event.lastError}</p>
        </Note>
      )}
      <ActBar
        path={`events/${encodeURIComponent(event.id)}`}
        what={event.id}
        acts={[
          { name: 'replay', word: 'Replay', action: 'events:replay', done: 'It runs again.' },
          ...(event.state === 'dead'
            ? [
                {
                  name: 'discard',
                  word: 'Discard',
                  action: 'events:discard',
                  done: 'It is discarded.',
                } as const,
              ]
            : []),
        ]}
      />
      <Life event={event} />
      {may('bodies:read') ? (
        <BodyView id={event.id} />
      ) : (
        <p class="faint">The body needs the right bodies:read.</p>
      )}
      {event.audits && (
        <section class="stack tight">
          <h3>Who did what</h3>
          {event.audits.length > 0 ? (
            <AuditTable rows={event.audits} />
          ) : (
            <p class="faint">Nobody has acted on it.</p>
          )}
        </section>
      )}
    </>
  )
}

function Life({ event }: { readonly event: EventDetail }) {
  const { createdAt, receivedAt, doneAt, retryAt, failures, generation, resource, bytes } = event
  return (
    <dl class="life">
      <dt>Created</dt>
      <dd>
        <Time at={createdAt} isExact />
      </dd>
      <dt>Received</dt>
      <dd>
        <Time at={receivedAt} isExact />
      </dd>
      {failures > 0 && (
        <>
          <dt>Failed</dt>
          <dd>{failures === 1 ? 'once' : `${failures} times`}</dd>
        </>
      )}
      {retryAt !== undefined && (
        <>
          <dt>Next try</dt>
          <dd>
            <Time at={retryAt} isExact />
          </dd>
        </>
      )}
      {doneAt !== undefined && (
        <>
          <dt>Done</dt>
          <dd>
            <Time at={doneAt} isExact />
            {generation === 0 && (
              <span class="faint"> after {duration(Date.parse(doneAt) - Date.parse(receivedAt))}</span>
            )}
          </dd>
        </>
      )}
      {generation > 0 && (
        <>
          <dt>Replayed</dt>
          <dd>{generation === 1 ? 'once' : `${generation} times`}</dd>
        </>
      )}
      {resource !== undefined && (
        <>
          <dt>Resource</dt>
          <dd>
            <a class="mono" href={hrefOf('events', undefined, [['resource', resource]])}>
              {resource}
            </a>
          </dd>
        </>
      )}
      <dt>Body</dt>
      <dd>{bytes.toLocaleString('en')} bytes</dd>
    </dl>
  )
}

function BodyView({ id }: { readonly id: string }) {
  const view = useView<Body>(`events/${encodeURIComponent(id)}/body`)
  return (
    <Shown view={view} what="the body">
      {(body) => <ShownBody body={body} />}
    </Shown>
  )
}

/** A body laid out, or exactly as it was signed. */
export function ShownBody({ body, title = 'Body' }: { readonly body: Body; readonly title?: string }) {
  const [isExact, setIsExact] = useState(false)
  const { text, base64, isMasked, withheld } = body
  if (text === null) {
    return (
      <p class="faint">
        {title}:{' '}
        {withheld === 'not_json' ? 'not JSON, so it cannot be masked and is not shown.' : hexOf(base64)}
      </p>
    )
  }
  return (
    <section class="stack tight">
      <div class="bar">
        <h3>{title}</h3>
        {isMasked && <span class="faint">Some values are masked: this is not what was signed.</span>}
        <button type="button" class="quiet end" aria-pressed={isExact} onClick={() => setIsExact(!isExact)}>
          {isExact ? 'Lay out' : 'As received'}
        </button>
        <Copy text={text} what="the body" />
      </div>
      <Code label={title}>{isExact ? text : prettyJson(text)}</Code>
    </section>
  )
}

const hexOf = (base64 = '') =>
  `not text. It begins with the bytes ${[...bytesOf(base64).slice(0, 32)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')}`
