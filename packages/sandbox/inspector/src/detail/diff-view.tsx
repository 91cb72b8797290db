import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Code, clockTime, diffLines, prettyJson } from 'webhook-inbox-ui'
import { call } from '../api/call.js'
import type { Attempt, Delivery, FullDelivery } from '../api/records.js'
import { endOf, verdictOfAttempt, verdictWords } from '../state/verdict.js'
import { answerOf } from '../state/words.js'
import { ofEvent } from './open-delivery.js'

/** Other deliveries that can be compared: more would be a long list. */
const mostSiblings = 20

/** What differs between two attempts, of this delivery or of others of its event. */
export function DiffView({ delivery }: { readonly delivery: FullDelivery }) {
  const others = useSignal<readonly FullDelivery[]>([])
  const chosen = useSignal<readonly [left: string, right: string] | undefined>(undefined)
  const siblings = ofEvent.value
    .filter(({ id, attempts }) => id !== delivery.id && attempts > 0)
    .slice(0, mostSiblings)
  useEffect(() => {
    void Promise.all(siblings.map(readFull)).then((read) => {
      others.value = read.filter((each) => each !== undefined)
    })
  }, [siblings.map(({ id, attempts }) => id + attempts).join()])

  const attempts = new Map(
    [delivery, ...others.value].flatMap((each) =>
      each.tries.map((attempt) => [keyOf(attempt), attempt] as const),
    ),
  )
  if (attempts.size < 2) {
    return <p class="faint">There is one attempt of this event so far. Replay it, and compare the two.</p>
  }
  const keys = [...attempts.keys()]
  const own = delivery.tries.map(keyOf)
  // Two attempts of this delivery if it has them; otherwise another delivery before it.
  const [left, right] =
    chosen.value ??
    (own.length > 1 ? [own.at(-2), own.at(-1)] : [keys.find((key) => !own.includes(key)), own[0]])
  const a = attempts.get(left ?? '') ?? attempts.get(keys[0] as string)
  const b = attempts.get(right ?? '') ?? attempts.get(keys[1] as string)
  if (!a || !b) {
    return null
  }
  const choice = (side: 0 | 1, label: string) => (
    <label class="field grow">
      <span>{label}</span>
      <select
        value={keyOf(side === 0 ? a : b)}
        onChange={({ currentTarget }) => {
          const pair: [string, string] = [keyOf(a), keyOf(b)]
          pair[side] = currentTarget.value
          chosen.value = pair
        }}
      >
        {[...attempts].map(([key, attempt]) => (
          <option key={key} value={key}>
            {nameOf(attempt, delivery)}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <>
      <div class="bar fields">
        {choice(0, 'From')}
        {choice(1, 'To')}
      </div>
      <Differences title="Request" left={requestLines(a)} right={requestLines(b)} />
      <Differences title="Response" left={answerLines(a)} right={answerLines(b)} />
    </>
  )
}

const keyOf = ({ deliveryId, number }: Attempt) => `${deliveryId}:${number}`

const readFull = ({ id }: Delivery) =>
  call<FullDelivery>('GET', `/_sandbox/deliveries/${encodeURIComponent(id)}`).catch(() => undefined)

function nameOf(attempt: Attempt, delivery: FullDelivery): string {
  const whose = attempt.deliveryId === delivery.id ? 'this one' : `…${attempt.deliveryId.slice(-6)}`
  const verdict = verdictWords[verdictOfAttempt(endOf(attempt))]
  return `${clockTime(Date.parse(attempt.startedAt))} ${whose}, attempt ${attempt.number}: ${verdict} ${answerOf(endOf(attempt))}`
}

const linesOf = (headers: Attempt['request']['headers'], body: string) => [
  ...headers.map(([name, value]) => `${name}: ${value}`),
  '',
  ...prettyJson(body).split('\n'),
]

const requestLines = ({ request }: Attempt) => linesOf(request.headers, request.body)

function answerLines({ response, failure }: Attempt): string[] {
  const failed = failure ? [`${failure.kind}: ${failure.message}`] : []
  return response
    ? [...failed, `HTTP ${response.status}`, ...linesOf(response.headers, response.body)]
    : failed
}

interface DifferencesProps {
  readonly title: string
  readonly left: readonly string[]
  readonly right: readonly string[]
}

function Differences({ title, left, right }: DifferencesProps) {
  const lines = diffLines(left, right)
  const count = lines.filter(({ side }) => side !== 'same').length
  return (
    <section class="stack tight">
      <h3>
        {title}:{' '}
        {count === 0 ? 'the same bytes' : `${count} ${count === 1 ? 'line differs' : 'lines differ'}`}
      </h3>
      <Code label={`Differences of the ${title.toLowerCase()}`}>
        {lines.map(({ side, text }, at) => {
          const Mark = side === 'left' ? 'del' : side === 'right' ? 'ins' : 'span'
          return (
            <Mark key={at} class="diff-line">
              {side === 'left' ? '− ' : side === 'right' ? '+ ' : '  '}
              {text}
              {'\n'}
            </Mark>
          )
        })}
      </Code>
    </section>
  )
}
