import { Ago, duration, type GlyphName, now, Outcome } from 'webhook-inbox-ui'
import type { SourcesView, Statistics, StatisticsBucket, VersionStart, WorkerRow } from '../../../src/wire.js'
import { digits } from '../digits.js'
import { rateWords } from '../rate.js'
import { hrefOf } from '../route.js'
import { cappedWords } from '../state-words.js'
import { silentBriefly, silentFor, silentWords, typesOf } from './sources.js'
import { Sparkline } from './sparkline.js'

/** How many events wait while no process runs them. */
export const stranded = ({ accepted, failed }: Statistics, workers: readonly WorkerRow[] | undefined) =>
  workers?.length === 0 ? accepted.count + failed.count : 0

/** How many processes have missed two reports. */
const lateOf = (workers: readonly WorkerRow[] = []) => workers.filter(({ isLate }) => isLate).length

/** What is wrong, the worst first. */
export function wrongsOf(
  statistics: Statistics,
  {
    isPaused,
    workers,
    sources,
    retried,
  }: {
    /** Whether everything is paused. */
    readonly isPaused: boolean
    readonly workers: readonly WorkerRow[] | undefined
    readonly sources: SourcesView | undefined
    readonly retried: string
  },
): string[] {
  const { at, dead, failed, quarantined } = statistics
  const silent = silentFor(sources, at)
  return [
    isPaused ? ['everything is paused'] : [],
    stranded(statistics, workers) > 0 ? ['no process runs events'] : [],
    lateOf(workers) > 0 ? [`${lateOf(workers)} of ${workers?.length} workers late`] : [],
    dead.count > 0 ? [`${cappedWords(dead)} dead`] : [],
    quarantined.count > 0 ? [`${cappedWords(quarantined)} quarantined`] : [],
    silent ? [silent] : [],
    failed.count > 0 ? [`${cappedWords(failed)} failed${isPaused ? '' : ` (${retried})`}`] : [],
  ].flat()
}

/** A strip of facts, each with what it did in the window. */
export function Weather({
  value,
  versions,
  workers,
  sources,
  retried,
  isOld,
  span,
}: {
  readonly value: Statistics
  readonly versions: readonly VersionStart[]
  readonly workers: readonly WorkerRow[] | undefined
  readonly sources: SourcesView | undefined
  /** What happens to failed events. */
  readonly retried: string
  /** Whether they cannot be read now. What waited may be done since. */
  readonly isOld: boolean
  /** The window, such as `hour`. */
  readonly span: string
}) {
  const { dead, failed, accepted, quarantined, oldestWaitingSeconds, latency, lastReceivedAt, buckets } =
    value
  const waiting = accepted.count + failed.count
  /** On one line. */
  const percentile = (name: string, seconds: number) =>
    `${name} ${duration(seconds * 1000)}`.replaceAll(' ', '\u00a0')
  const spark = (name: string, read: (bucket: StatisticsBucket) => number | undefined) => (
    <Sparkline name={name} values={buckets.map(read)} statistics={value} starts={versions} />
  )
  return (
    <dl class={isOld ? 'weather faint' : 'weather'}>
      <Fact name="Oldest waiting" more={`${digits(waiting)} wait`}>
        {waiting > 0 ? duration(oldestWaitingSeconds * 1000 + (isOld ? 0 : sinceOf(value.at))) : 'none'}
      </Fact>
      <Fact
        name="Acceptance to done"
        more={
          latency ? (
            <>
              {percentile('p95', latency.p95)}, {percentile('p99', latency.p99)}
            </>
          ) : (
            'none done'
          )
        }
        plot={spark('p95 of the time to done', (bucket) => bucket.latency?.p95)}
      >
        {latency ? `p50 ${duration(latency.p50 * 1000)}` : 'none'}
      </Fact>
      <Fact
        name="Arrived"
        more={
          lastReceivedAt ? (
            <>
              mean of the {span}, last <Ago at={lastReceivedAt} />
            </>
          ) : (
            'none yet'
          )
        }
        plot={spark('arrived', ({ received }) => received)}
      >
        {rateOf(value, 'received')}
      </Fact>
      <Fact
        name="Done"
        more={`mean of the ${span}, of what arrived in this time`}
        plot={spark('done of what arrived', ({ done }) => done)}
      >
        {rateOf(value, 'done')}
      </Fact>
      <Fact
        name="Dead"
        href={hrefOf('events', undefined, [['state', 'dead']])}
        outcome={dead.count > 0 ? 'dead' : undefined}
        more="run again only when replayed"
        plot={spark('dead', (bucket) => bucket.dead)}
      >
        {cappedWords(dead)}
      </Fact>
      <Fact
        name="Failed"
        href={hrefOf('events', undefined, [['state', 'failed']])}
        outcome={failed.count > 0 ? 'failed' : undefined}
        more={retried}
      >
        {cappedWords(failed)}
      </Fact>
      <Fact
        name="Quarantined"
        href={hrefOf('quarantine')}
        outcome={quarantined.count > 0 ? 'quarantined' : undefined}
        more="a person must look"
      >
        {cappedWords(quarantined)}
      </Fact>
      {sources && (
        <Fact name="Sources" outcome={silentWords(sources) ? 'failed' : undefined} more={typesWords(sources)}>
          {silentBriefly(sources) ?? (isOld ? 'not known' : 'none silent')}
        </Fact>
      )}
      {workers && (
        <Fact
          name="Workers"
          outcome={stranded(value, workers) + lateOf(workers) > 0 ? 'failed' : undefined}
          more={
            workers.length === 0
              ? 'nothing runs'
              : lateOf(workers) > 0
                ? `${lateOf(workers)} late`
                : [...new Set(workers.map(({ version }) => version))].join(', ')
          }
        >
          {String(workers.length)}
        </Fact>
      )}
    </dl>
  )
}

/** How many types were looked at. */
function typesWords({ sources, isCapped }: SourcesView): string {
  const count = sources.filter(({ type }) => type !== undefined).length
  return isCapped ? `of more than ${typesOf(count)}` : `of ${typesOf(count)}`
}

/** Milliseconds since the figures were read. Not negative, where the clock of the browser is behind. */
const sinceOf = (at: string) => Math.max(0, now.value - Date.parse(at))

/** How many arrived, or were done of these, in a unit that fits both. */
function rateOf({ at, since, buckets }: Statistics, what: 'received' | 'done'): string {
  const seconds = (Date.parse(at) - Date.parse(since)) / 1000
  const total = (name: typeof what) => buckets.reduce((sum, bucket) => sum + bucket[name], 0)
  return rateWords(total(what), seconds, {
    isCapped: buckets.some(({ isCapped }) => isCapped),
    beside: total(what === 'done' ? 'received' : 'done'),
  })
}

function Fact({
  name,
  href,
  outcome,
  more,
  plot,
  children,
}: {
  readonly name: string
  readonly href?: string
  readonly outcome?: GlyphName | undefined
  /** The second line. */
  readonly more: preact.ComponentChildren
  readonly plot?: preact.ComponentChildren
  readonly children: string
}) {
  const shown = outcome ? <Outcome outcome={outcome}>{children}</Outcome> : children
  return (
    <div>
      <dt class="label">{name}</dt>
      <dd>
        <span class="value">{href === undefined ? shown : <a href={href}>{shown}</a>}</span>
        <span class="faint">{more}</span>
        {plot}
      </dd>
    </div>
  )
}
