import { useEffect } from 'preact/hooks'
import type { Diagnosis } from 'webhook-inbox-diagnose'
import { Code, Note, useSignal } from 'webhook-inbox-ui'
import type { Attempt, FullDelivery } from '../api/records.js'
import { config } from '../state/config.js'
import { AgeScale } from './age-scale.js'
import { type Explained, explain } from './explain.js'
import { Finding } from './finding.js'
import { flawOf } from './flaw.js'
import { MarkedHeader } from './marked-header.js'

interface SignatureProps {
  readonly delivery: FullDelivery
  readonly attempt: Attempt
}

type State = 'checking' | 'deleted' | { readonly error: string } | Explained

/** The signature, part by part, in the words of `webhook-inbox verify`. */
export function Signature({ delivery, attempt }: SignatureProps) {
  const state = useSignal<State>('checking')
  const tried = useSignal(0)
  useEffect(() => {
    if (!config.value) {
      return
    }
    const noteTried = (count: number) => {
      tried.value = count
    }
    explain(delivery, attempt, noteTried).then(
      (explained) => {
        state.value = explained ?? 'deleted'
      },
      (error: Error) => {
        state.value = { error: error.message }
      },
    )
  }, [attempt.deliveryId, attempt.number, config.value])
  const current = state.value
  if (current === 'checking') {
    const count = tried.value > 0 && ` ${tried.value.toLocaleString('en')} possible causes tried so far.`
    return <p class="faint">Checking the signature…{count}</p>
  }
  if (current === 'deleted') {
    return <p>Its subscription was deleted, and the secret with it. The signature cannot be checked.</p>
  }
  if ('error' in current) {
    return (
      <Note outcome="failed">
        <p>The signature cannot be checked. {current.error} Reload the page.</p>
      </Note>
    )
  }
  return <Explanation explained={current} attempt={attempt} />
}

function Explanation({ explained, attempt }: { readonly explained: Explained; readonly attempt: Attempt }) {
  const { diagnosis, sentAt, header } = explained
  const { isAccepted, summary, causes } = diagnosis
  const flaw = flawOf(attempt)
  const isRefused = attempt.code?.startsWith('signature') || attempt.code === 'timestamp_out_of_tolerance'
  return (
    <>
      <Note outcome={isAccepted ? 'good' : flaw ? 'ignored' : 'bad'}>
        <p>{flaw && !isAccepted ? `${/^[^.]*\./.exec(summary)} ${flaw.words}.` : summary}</p>
      </Note>
      {isAccepted && isRefused && <OwnFault attempt={attempt} />}
      {header !== undefined && <MarkedHeader header={header} diagnosis={diagnosis} />}
      <table class="wraps findings" aria-label="The signature, part by part">
        <tbody>
          <Parts diagnosis={diagnosis} sentAt={sentAt} />
          <Finding name="Signed bytes">
            {diagnosis.body.bytes.toLocaleString('en')} bytes, {diagnosis.body.description}
          </Finding>
          <Finding name="Scheme">{diagnosis.expectation}</Finding>
        </tbody>
      </table>
      {(flaw ? [] : causes).map(({ code, sentence, evidence, fix }) => (
        <section key={code} class="stack tight">
          <h3>
            Cause: <code>{code}</code>
          </h3>
          <p>{sentence}</p>
          <p class="faint">{evidence}</p>
          <p>
            <b>Fix.</b> {fix}
          </p>
        </section>
      ))}
      {diagnosis.schemeLine && <Code label="Paste into createReceiver">{diagnosis.schemeLine}</Code>}
    </>
  )
}

/** An age from the time of sending, in words that are still true later. */
const whenSent = (meaning: string) =>
  meaning.replace(
    /, (?:now|(.+) (?:ago|(ahead))):/,
    (_, distance = '0 seconds', side = 'old') => `, ${distance} ${side} when it was sent:`,
  )

/** Each element of the header with what it says. */
function Parts({ diagnosis, sentAt }: { readonly diagnosis: Diagnosis; readonly sentAt: number }) {
  const { header, isAccepted, code, expected } = diagnosis
  const isLate = code === 'timestamp_out_of_tolerance'
  const expectedPart = /v1=([^,]+)/.exec(expected ?? '')?.[1]
  return (
    <>
      {header.problem && (
        <Finding name="Header" holds={false}>
          {header.problem}.
        </Finding>
      )}
      {header.parts.map(({ tag, value, meaning }, at) => (
        <Finding
          key={at}
          name={tag || 'No tag'}
          holds={
            tag === 't'
              ? !isLate
              : tag === 'v1'
                ? isAccepted || isLate || code === 'event_id_mismatch'
                : undefined
          }
        >
          {whenSent(meaning).replace(/(\d) s\b/g, '$1\u00a0s')}
          {tag === 't' && <AgeScale age={sentAt - Number(value)} />}
          {tag === 'v1' && code === 'signature_mismatch' && expectedPart && (
            <Expected sent={value} right={expectedPart} />
          )}
        </Finding>
      ))}
    </>
  )
}

/** The signature as it was sent and as it should be, with the characters that differ marked. */
function Expected({ sent, right }: { readonly sent: string; readonly right: string }) {
  const marked = (text: string, other: string, Mark: 'del' | 'ins') =>
    [...text].map((character, at) =>
      character === other[at] ? character : <Mark key={at}>{character}</Mark>,
    )
  return (
    <div class="stack tight">
      <p class="faint">Sent</p>
      <p class="mono">{marked(sent, right, 'del')}</p>
      <p class="faint">Right for this secret and these bytes</p>
      <p class="mono">{marked(right, sent, 'ins')}</p>
    </div>
  )
}

/** The signature was right when it left, and the receiver rejected it. */
function OwnFault({ attempt }: { readonly attempt: Attempt }) {
  return (
    <Note outcome="rejected">
      <p>
        Your receiver responded <code>{attempt.code}</code> all the same. It has another secret, or it saw
        other bytes:
      </p>
      <ul class="hints">
        <li>Compare its secret with the one of the subscription, on the page Bank.</li>
        <li>Mount it before a body parser such as express.json(), which changes the bytes.</li>
      </ul>
    </Note>
  )
}
