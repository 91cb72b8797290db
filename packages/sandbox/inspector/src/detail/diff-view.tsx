import { useEffect } from 'preact/hooks'
import { bound, Code, clockTime, diffLines, prettyJson, useSignal } from 'webhook-inbox-ui'
import { readDelivery } from '../api/delivery.js'
import type { Attempt, FullDelivery } from '../api/records.js'
import { Choice } from '../choice.js'
import { endOf, verdictOfAttempt, verdictWords } from '../state/verdict.js'
import { answerOf, shortId } from '../state/words.js'
import { ofEvent } from './open-delivery.js'

/** Other deliveries that can be compared: more would be a long list. */
const mostSiblings = 20

/** What differs between two attempts, of this delivery or of others of its event. */
export function DiffView({ delivery }: { readonly delivery: FullDelivery }) {
  const [from, to] = [useSignal(''), useSignal('')]
  const attempts = useAttempts(delivery)
  const [first, second] = pairToStart(attempts, delivery)
  const left = attempts.get(from.value) ?? first
  const right = attempts.get(to.value) ?? second
  if (!left || !right) {
    return <p class="faint">There is one attempt of this event so far. Replay it, and compare the two.</p>
  }
  const options = [...attempts].map(([key, attempt]) => [key, nameOf(attempt, delivery)] as const)
  return (
    <>
      <div class="stack tight">
        <Choice label="From" options={options} {...bound(from)} value={keyOf(left)} />
        <Choice label="To" options={options} {...bound(to)} value={keyOf(right)} />
      </div>
      <Differences title="Request" left={requestLines(left)} right={requestLines(right)} />
      <Differences title="Response" left={answerLines(left)} right={answerLines(right)} />
    </>
  )
}

/** The attempts of a delivery and of others of its event, once these were read. */
function useAttempts(delivery: FullDelivery): ReadonlyMap<string, Attempt> {
  const others = useSignal<readonly FullDelivery[]>([])
  const siblings = ofEvent.value
    .filter(({ id, attempts }) => id !== delivery.id && attempts > 0)
    .slice(0, mostSiblings)
  useEffect(() => {
    void Promise.all(siblings.map(({ id }) => readDelivery(id).catch(() => undefined))).then((read) => {
      others.value = read.filter((each) => each !== undefined)
    })
  }, [siblings.map(({ id, attempts }) => id + attempts).join()])
  const tries = [delivery, ...others.value].flatMap((each) => each.tries)
  return new Map(tries.map((attempt) => [keyOf(attempt), attempt]))
}

/** The last two attempts of this delivery, or one of another delivery and the only one of this. */
function pairToStart(attempts: ReadonlyMap<string, Attempt>, { id, tries }: FullDelivery) {
  const other = [...attempts.values()].find(({ deliveryId }) => deliveryId !== id)
  return tries.length > 1 ? tries.slice(-2) : [other, tries[0]]
}

const keyOf = ({ deliveryId, number }: Attempt) => `${deliveryId}:${number}`

function nameOf(attempt: Attempt, delivery: FullDelivery): string {
  const end = endOf(attempt)
  const whose = attempt.deliveryId === delivery.id ? 'Attempt' : `${shortId(attempt.deliveryId)}, attempt`
  const verdict = verdictWords[verdictOfAttempt(end)]
  const status = end.failure === null ? ` ${answerOf(end)}` : ''
  return `${whose} ${attempt.number}: ${verdict}${status}, ${clockTime(Date.parse(attempt.startedAt))}`
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
