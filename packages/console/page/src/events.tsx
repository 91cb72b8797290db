import { useRef, useState } from 'preact/hooks'
import { CoverLink, Glyph, now, Outcome, relativeTime, Time, WindowedTable } from 'webhook-inbox-ui'
import type { EventRow, Page } from '../../src/wire.js'
import { read } from './call.js'
import { EventPane } from './event.js'
import { hrefOf, route } from './route.js'
import { states, stateWords } from './state-words.js'
import { Shown, useView } from './use-view.js'

const conditions = ['state', 'type', 'resource', 'id', 'text', 'group', 'since', 'until'] as const
const rowsOfPage = 100

const columns = [
  { title: 'Received' },
  { title: 'State' },
  { title: 'Type' },
  { title: 'Id' },
  { title: 'Tries', isNumber: true },
  { title: 'Note' },
]

/** The list of events and the open one. The filter is the address. */
export function EventsPage() {
  const { id } = route.value
  const scroller = useRef<HTMLDivElement>(null)
  return (
    <div class={id === undefined ? 'columns' : 'columns with-pane'}>
      <h1 class="unseen">Events</h1>
      <div class="list-column" ref={scroller}>
        <FilterBar />
        <List scroller={scroller} />
      </div>
      {id !== undefined && (
        <aside class="pane" aria-label="Event">
          <EventPane key={id} id={id} />
        </aside>
      )}
    </div>
  )
}

/** The conditions of the address that the API knows. */
function filterOf(query: URLSearchParams): [string, string][] {
  return conditions.flatMap((name) => {
    const value = query.get(name)
    return value ? [[name, value] as [string, string]] : []
  })
}

const withCondition = (name: string, value: string): string => {
  const rest = filterOf(route.value.query).filter(([given]) => given !== name)
  return hrefOf('events', undefined, [...rest, [name, value]])
}

function FilterBar() {
  const { query } = route.value
  const state = query.get('state') ?? ''
  return (
    <div class="filters stack tight">
      <form
        class="bar"
        onSubmit={(event) => {
          event.preventDefault()
          const form = new FormData(event.currentTarget)
          const given = conditions.map((name) => [name, String(form.get(name) ?? '').trim()] as const)
          location.hash = hrefOf('events', undefined, [...given, ['state', state]])
        }}
      >
        <search class="search grow">
          <Glyph name="search" />
          <input
            key={query.get('text')}
            name="text"
            type="search"
            aria-label="Text of the error"
            placeholder="text of the error"
            defaultValue={query.get('text') ?? ''}
          />
        </search>
        {(['type', 'id', 'resource'] as const).map((name) => (
          <input
            key={name + query.get(name)}
            class="condition"
            name={name}
            aria-label={name}
            placeholder={name === 'type' ? 'type, or transfer.*' : name}
            spellcheck={false}
            defaultValue={query.get(name) ?? ''}
          />
        ))}
        <button type="submit">Find</button>
        {filterOf(query).length > 0 && (
          <a class="button quiet" href={hrefOf('events')}>
            Show all
          </a>
        )}
      </form>
      <nav class="chips" aria-label="Filter by state">
        <a class="button" href={withCondition('state', '')} aria-current={state === '' ? 'true' : undefined}>
          All
        </a>
        {states.map((each) => (
          <a
            key={each}
            class="button"
            href={withCondition('state', each)}
            aria-current={each === state ? 'true' : undefined}
          >
            <Outcome outcome={stateWords[each][0]}>{stateWords[each][1]}</Outcome>
          </a>
        ))}
      </nav>
    </div>
  )
}

function List({ scroller }: { readonly scroller: preact.RefObject<HTMLElement> }) {
  const filter = new URLSearchParams(filterOf(route.value.query))
  const view = useView<Page<EventRow>>(`events?${filter}&limit=${rowsOfPage}`)
  return (
    <Shown view={view} what="the events">
      {(first) => <Pages key={String(filter)} first={first} filter={filter} scroller={scroller} />}
    </Shown>
  )
}

/** The first page, which stays current, and the older ones as they were read. */
function Pages({
  first,
  filter,
  scroller,
}: {
  readonly first: Page<EventRow>
  readonly filter: URLSearchParams
  readonly scroller: preact.RefObject<HTMLElement>
}) {
  const [older, setOlder] = useState<Page<EventRow>>()
  const [problem, setProblem] = useState<string>()
  const next = older ? older.next : first.next
  const seen = new Set(first.rows.map(({ id }) => id))
  const rows = [...first.rows, ...(older?.rows ?? []).filter(({ id }) => !seen.has(id))]
  const readMore = async () => {
    try {
      const page = await read<Page<EventRow>>(
        `events?${filter}&limit=200&cursor=${encodeURIComponent(next ?? '')}`,
      )
      setOlder({ ...page, rows: [...(older?.rows ?? first.rows), ...page.rows] })
      setProblem(undefined)
    } catch (error) {
      setProblem(String((error as Error).message))
    }
  }
  return (
    <>
      {rows.length > 0 && (
        <WindowedTable
          label="Events"
          columns={columns}
          rows={rows}
          scroller={scroller}
          keyOf={({ id }) => id}
          render={(event, index) => <Row key={event.id} event={event} index={index} />}
        />
      )}
      <div class="blank bar faint">
        <p>
          {rows.length === 0
            ? filter.size > 0
              ? 'No event matches. Take a condition away, or show all.'
              : 'No event is kept yet. The first delivery that arrives stands here.'
            : `${rows.length.toLocaleString('en')} events${next ? ', and there are older ones' : ', and no older ones'}.`}
        </p>
        {next && (
          <button type="button" onClick={() => void readMore()}>
            Read 200 older
          </button>
        )}
        {problem && <p role="alert">{problem}</p>}
      </div>
    </>
  )
}

function Row({ event, index }: { readonly event: EventRow; readonly index: number }) {
  const isOpen = route.value.id === event.id
  const [glyph, word] = stateWords[event.state]
  const note = noteOf(event)
  return (
    <tr aria-rowindex={index + 2} class={isOpen ? 'open' : undefined}>
      <td class="when faint">
        <Time at={event.receivedAt} />
      </td>
      <td class="verdict">
        <Outcome outcome={glyph}>{word}</Outcome>
      </td>
      <td class="type cut">
        <CoverLink
          id={event.id}
          href={hrefOf('events', event.id, filterOf(route.value.query))}
          isOpen={isOpen}
        >
          {event.type}
        </CoverLink>
      </td>
      <td class="event mono" title={event.id}>
        {event.id.length > 14 ? `…${event.id.slice(-12)}` : event.id}
      </td>
      <td class="tries number faint">{event.failures || ''}</td>
      <td class="remark cut faint" title={note}>
        {note}
      </td>
    </tr>
  )
}

/** The important word first. */
function noteOf({ state, retryAt, lastError = '', generation }: EventRow): string {
  const retry = state === 'failed' && retryAt ? `retry ${relativeTime(Date.parse(retryAt), now.value)}, ` : ''
  const replayed = generation > 0 ? `replayed ${generation}×, ` : ''
  return `${retry}${replayed}${lastError}`.replace(/, $/, '')
}
