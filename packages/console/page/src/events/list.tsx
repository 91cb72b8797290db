import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Heading, WindowedTable } from 'webhook-inbox-ui'
import { signal } from 'webhook-inbox-ui/signals'
import type { EventRow, Page } from '../../../src/wire.js'
import { read } from '../call.js'
import { useCircuits } from '../held.js'
import { me } from '../me.js'
import { pauses } from '../paused.js'
import { route } from '../route.js'
import { counted } from '../state-words.js'
import { useProblem } from '../use-problem.js'
import { Shown, useView } from '../use-view.js'
import { filterOf } from './filter.js'
import { Row } from './row.js'
import { WholeValues } from './whole-values.js'

const rowsOfPage = 100
const rowsOfStep = 200

const headings: readonly Heading[] = ['Received', 'State', 'Type', 'Id', ['Attempts', 'number'], 'Note']

/** The ids of the list, for the keys that go from row to row. */
export const listed = signal<readonly string[]>([])

interface ListProps {
  /** The element that scrolls. */
  readonly scroller: RefObject<HTMLElement>
}

export function List({ scroller }: ListProps) {
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
}: ListProps & { readonly first: Page<EventRow>; readonly filter: URLSearchParams }) {
  const [older, setOlder] = useState<Page<EventRow>>()
  const [problem, setProblem] = useProblem()
  const holds = { circuits: useCircuits(), pauses: pauses.value }
  const { next, searched } = older ?? first
  const seen = new Set(first.rows.map(({ id }) => id))
  const rows = [...first.rows, ...(older?.rows ?? []).filter(({ id }) => !seen.has(id))]
  useEffect(() => {
    listed.value = rows.map(({ id }) => id)
  }, [first, older])
  const readMore = async () => {
    try {
      const cursor = encodeURIComponent(next ?? '')
      const page = await read<Page<EventRow>>(`events?${filter}&limit=${rowsOfStep}&cursor=${cursor}`)
      const { rows } = older ?? first
      const total = searched !== undefined && { searched: searched + (page.searched ?? 0) }
      setOlder({ ...page, rows: [...rows, ...page.rows], ...total })
      setProblem(undefined)
    } catch (error) {
      setProblem(error)
    }
  }
  return (
    <>
      {rows.length > 0 && (
        <WindowedTable
          label="Events"
          headings={headings}
          rows={rows}
          scroller={scroller}
          keyOf={({ id }) => id}
          render={(event, index) => <Row key={event.id} event={event} index={index} holds={holds} />}
        />
      )}
      <div class="blank bar faint">
        <p>
          {footOf(rows.length, filter.size > 0, next !== undefined)}
          {searched !== undefined && ` The search has read ${counted(searched)}.`}
          {rows.length === 0 && me.value?.isMasked && isSearch(filter) && ' A search finds no masked value.'}
        </p>
        {next && (
          <button type="button" onClick={() => void readMore()}>
            {rows.length === 0 ? 'Search further back' : `Read ${rowsOfStep} older`}
          </button>
        )}
        {problem && <p role="alert">{problem}</p>}
        <WholeValues filter={filter} isEmpty={rows.length === 0} />
      </div>
    </>
  )
}

/** Whether it looks for a text that a mask may hide. */
const isSearch = (filter: URLSearchParams) => ['text', 'resource', 'body'].some((name) => filter.has(name))

function footOf(count: number, isFiltered: boolean, hasOlder: boolean): string {
  if (count > 0) {
    return `${counted(count)}${hasOlder ? ', and there are older ones' : ', and no older ones'}.`
  }
  if (hasOlder) {
    return 'Nothing matches so far.'
  }
  return isFiltered ? 'No event matches. Remove a condition, or show all.' : 'No event is stored yet.'
}
