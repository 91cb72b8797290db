import { duration, Outcome } from 'webhook-inbox-ui'
import type { CappedCount, HealthCounts, Overview, Part, Statistics } from '../../src/wire.js'
import { Arrivals } from './arrivals.js'
import { Pauses } from './pauses.js'
import { hrefOf, route } from './route.js'
import { Shown, useView } from './use-view.js'

const windows = [
  ['1', 'Hour'],
  ['24', 'Day'],
  ['168', 'Week'],
] as const

/** Is all well? The sentence first, then the numbers, then what arrived. */
export function OverviewPage() {
  const hours = route.value.query.get('hours') ?? '1'
  const view = useView<Overview>(`overview?${new URLSearchParams({ hours })}`)
  return (
    <div class="inner stack wide">
      <div class="bar">
        <h1>Overview</h1>
        <nav class="tabs end" aria-label="Window">
          {windows.map(([value, word]) => (
            <a
              key={value}
              class="button"
              href={hrefOf('overview', undefined, [['hours', value]])}
              aria-current={value === hours ? 'true' : undefined}
            >
              {word}
            </a>
          ))}
        </nav>
      </div>
      <Pauses />
      <Shown view={view} what="the overview">
        {({ guarantee, health, statistics }) => (
          <>
            <Of part={statistics} what="statistics">
              {(value) => <Weather value={value} />}
            </Of>
            <Of part={statistics} what="statistics">
              {(value) => <Arrivals value={value} />}
            </Of>
            <Of part={health} what="counts">
              {(value) => <Counts value={value} />}
            </Of>
            <section class="card">
              <header>
                <h2>What this receiver guarantees</h2>
              </header>
              <p class="inner">{guarantee}</p>
            </section>
          </>
        )}
      </Shown>
    </div>
  )
}

function Of<Value>({
  part,
  what,
  children,
}: {
  readonly part: Part<Value>
  readonly what: string
  readonly children: (value: Value) => preact.ComponentChildren
}) {
  if ('value' in part) {
    return <>{children(part.value)}</>
  }
  return (
    <p class="note" data-outcome="failed">
      The {what} cannot be read. {part.problem}
    </p>
  )
}

/** `10,000+` where the count stopped. */
export const cappedWords = ({ count, isCapped }: CappedCount): string =>
  `${count.toLocaleString('en')}${isCapped ? '+' : ''}`

function Weather({ value }: { readonly value: Statistics }) {
  const { dead, failed, accepted, quarantined, oldestWaitingSeconds, latency, lastReceivedAt } = value
  const isWaiting = accepted.count + failed.count > 0
  return (
    <>
      <p class="lead">{sentence(value)}</p>
      <dl class="weather">
        <Fact name="Dead" href={hrefOf('events', undefined, [['state', 'dead']])} isBad={dead.count > 0}>
          {cappedWords(dead)}
        </Fact>
        <Fact name="Quarantined" href={hrefOf('quarantine')} isBad={quarantined.count > 0}>
          {cappedWords(quarantined)}
        </Fact>
        <Fact
          name="Failed, tried again"
          href={hrefOf('events', undefined, [['state', 'failed']])}
          isBad={failed.count > 0}
        >
          {cappedWords(failed)}
        </Fact>
        <Fact name="Accepted, not run yet" href={hrefOf('events', undefined, [['state', 'accepted']])}>
          {cappedWords(accepted)}
        </Fact>
        <Fact name="Oldest waiting">{isWaiting ? duration(oldestWaitingSeconds * 1000) : 'none'}</Fact>
        <Fact name="Acceptance to done">
          {latency
            ? `${duration(latency.p50 * 1000)} · ${duration(latency.p95 * 1000)} · ${duration(latency.p99 * 1000)}`
            : 'none done'}
          {latency && <span class="faint"> p50 · p95 · p99</span>}
        </Fact>
        <Fact name="Newest event">
          {lastReceivedAt ? `${duration(Date.parse(value.at) - Date.parse(lastReceivedAt))} ago` : 'none yet'}
        </Fact>
      </dl>
    </>
  )
}

function sentence({ dead, failed, quarantined, accepted }: Statistics): string {
  const wrong = [
    dead.count > 0 && `${cappedWords(dead)} dead`,
    quarantined.count > 0 && `${cappedWords(quarantined)} quarantined`,
    failed.count > 0 && `${cappedWords(failed)} failed and tried again`,
  ].filter(Boolean)
  if (wrong.length > 0) {
    return `Look at this: ${wrong.join(', ')}.`
  }
  return accepted.count > 0
    ? 'Nothing has failed. Some events wait to be run.'
    : 'All is well: nothing waits.'
}

function Fact({
  name,
  href,
  isBad = false,
  children,
}: {
  readonly name: string
  readonly href?: string
  readonly isBad?: boolean
  readonly children: preact.ComponentChildren
}) {
  const shown = isBad ? <Outcome outcome="failed">{children}</Outcome> : children
  return (
    <div>
      <dt class="label">{name}</dt>
      <dd>{href === undefined ? shown : <a href={href}>{shown}</a>}</dd>
    </div>
  )
}

function Counts({ value: { counts } }: { readonly value: HealthCounts }) {
  return (
    <p class="faint">
      In the whole store, over every endpoint: {counts.done.toLocaleString('en')} done,{' '}
      {counts.accepted.toLocaleString('en')} accepted, {counts.failed.toLocaleString('en')} failed,{' '}
      {counts.dead.toLocaleString('en')} dead, {counts.quarantined.toLocaleString('en')} quarantined.
    </p>
  )
}
