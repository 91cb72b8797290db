import { useRef } from 'preact/hooks'
import { duration, Outcome } from 'webhook-inbox-ui'
import type { Overview, SourcesView, WorkerRow } from '../../../src/wire.js'
import { retriedWords } from '../due.js'
import { useCircuits } from '../held.js'
import { isWhole } from '../holds.js'
import { awaySince } from '../live.js'
import { can, may } from '../me.js'
import { pauses } from '../paused.js'
import { hrefOf, route } from '../route.js'
import { Shown, useView } from '../use-view.js'
import { Arrivals } from './arrivals.js'
import { Circuits } from './circuits.js'
import { PauseButton, Pauses } from './pauses.js'
import { Sources } from './sources.js'
import { stranded, Weather, wrongsOf } from './weather.js'
import { Workers } from './workers.js'
import { Wrong } from './wrong.js'

const windows = [
  ['1', 'Hour'],
  ['24', 'Day'],
  ['168', 'Week'],
] as const

/** What is known of the inbox: the sentence first, then the numbers, then what is wrong, and what arrived. */
export function OverviewPage() {
  const hours = route.value.query.get('hours') ?? '1'
  const view = useView<Overview>(`overview?${new URLSearchParams({ hours })}`)
  return (
    <div class="inner stack overview">
      <Shown view={view} what="the overview">
        {(overview) => <Facts overview={overview} />}
      </Shown>
    </div>
  )
}

function Facts({
  overview: { guarantee, hours, statistics, versions = [] },
}: {
  readonly overview: Overview
}) {
  const { value: workers } = useView<readonly WorkerRow[]>(can('flow') ? 'workers' : undefined)
  const { value: sources, error } = useView<SourcesView>(can('statistics') ? 'sources' : undefined)
  // What was read before is better than nothing, if it does not look current.
  const kept = useRef(statistics)
  if ('value' in statistics) {
    kept.current = statistics
  }
  const value = 'value' in kept.current ? kept.current.value : undefined
  const isOld = awaySince.value !== undefined || error !== undefined || 'problem' in statistics
  const circuits = useCircuits()
  const retried = retriedWords({ circuits, pauses: pauses.value }, !workers?.every(({ isLate }) => isLate))
  const isPaused = pauses.value.some(isWhole)
  const wrongs = value && !isOld ? wrongsOf(value, { isPaused, workers, sources, retried }) : undefined
  return (
    <>
      <Head hours={String(hours)} waiting={value?.accepted.count} wrongs={wrongs} />
      <p class="faint">
        Refused deliveries are not stored and not counted here. The log and metrics of the program have them.
      </p>
      <Pauses />
      <Circuits rows={circuits} />
      {'problem' in statistics && (
        <p class="note" data-outcome="failed">
          The statistics cannot be read. {statistics.problem}
        </p>
      )}
      {value && (
        <>
          <Weather {...{ value, versions, workers, sources, retried, isOld, span: spanOf(hours) }} />
          <p class="faint">
            Times are estimated from up to 100 done events of each {duration(value.bucketSeconds * 1000)},
            without replays. A figure with + is a minimum.
          </p>
        </>
      )}
      <div class="cards stack">
        {value && (
          <div class="stack">
            {can('failures') && may('events:read') && <Wrong stranded={stranded(value, workers)} />}
            <Arrivals value={value} starts={versions} />
          </div>
        )}
        <div class="beside">
          {sources && <Sources view={sources} isOld={isOld} />}
          {workers && <Workers rows={workers} />}
        </div>
      </div>
      <Guarantee text={guarantee} />
    </>
  )
}

/** Its sentences, one on a line. */
function Guarantee({ text }: { readonly text: string }) {
  return (
    <section class="guarantee faint">
      <strong>What this receiver guarantees:</strong>
      <ul>
        {text.split('. ').map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  )
}

/** `hour`, `day` or `week`. */
const spanOf = (hours: number): string =>
  windows.find(([value]) => value === String(hours))?.[1].toLowerCase() ?? 'window'

function Head({
  hours,
  waiting = 0,
  wrongs,
}: {
  readonly hours: string
  /** How many events are accepted and not run yet. */
  readonly waiting: number | undefined
  /** What is wrong; `undefined` where the statistics cannot be read. */
  readonly wrongs: readonly string[] | undefined
}) {
  const isBad = wrongs === undefined || wrongs.length > 0
  return (
    <div class="bar">
      <h1>{sentenceOf(waiting, wrongs)}</h1>
      <Outcome outcome={isBad ? 'failed' : 'processed'} isPill>
        {isBad ? 'Needs attention' : 'Nothing stored has failed'}
      </Outcome>
      {/* Both move to the next line, or none. */}
      <div class="bar end">
        <nav class="tabs" aria-label="Window">
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
        <PauseButton />
      </div>
    </div>
  )
}

function sentenceOf(waiting: number, wrongs: readonly string[] | undefined): string {
  if (wrongs === undefined) {
    return 'The statistics cannot be read'
  }
  if (wrongs.length > 0) {
    const words = wrongs.join(', ')
    return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
  }
  return waiting > 0 ? 'Some events wait' : 'Nothing waits'
}
