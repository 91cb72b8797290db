import type { RefObject } from 'preact'
import { type Heading, Note, WindowedTable } from 'webhook-inbox-ui'
import { amend } from '../route.js'
import { deliveries, hasOlder, listing, readDeliveries, readOlder } from '../state/deliveries.js'
import { shown } from '../state/filter.js'
import { FirstRun } from './first-run.js'
import { Row } from './row.js'

const headings: readonly Heading[] = [
  'Time',
  'Verdict',
  'Event',
  'Id',
  ['Attempt', 'number'],
  ['Response', 'number'],
  'Note',
]

/** The table of deliveries, or what to do where there is none. */
export function List({ scroller }: { readonly scroller: RefObject<HTMLElement> }) {
  const state = listing.value
  if (state === 'loading') {
    return <p class="blank faint">Reading the deliveries…</p>
  }
  if (state !== 'ready') {
    return (
      <div class="blank">
        <Note outcome="failed">
          <p>The deliveries cannot be read. {state.error}</p>
        </Note>
        <button type="button" onClick={() => void readDeliveries()}>
          Read them again
        </button>
      </div>
    )
  }
  const rows = shown.value
  return (
    <>
      {rows.length > 0 && (
        <WindowedTable
          label="Deliveries"
          headings={headings}
          rows={rows}
          scroller={scroller}
          keyOf={({ id }) => id}
          render={(delivery, index) => <Row key={delivery.id} delivery={delivery} index={index} />}
        />
      )}
      <Foot count={rows.length} />
    </>
  )
}

/** What is not in the list, and how to get it. */
function Foot({ count }: { readonly count: number }) {
  const known = deliveries.value.length
  const isFiltered = count < known
  if (known === 0) {
    return <FirstRun />
  }
  return (
    <div class="blank bar faint">
      {count === 0 && <p>No delivery matches.</p>}
      {isFiltered && (
        <p>
          {count.toLocaleString('en')} of the newest {known.toLocaleString('en')} deliveries.
        </p>
      )}
      {isFiltered && (
        <button type="button" onClick={() => amend({ query: '' })}>
          Show all
        </button>
      )}
      {hasOlder.value && (
        <button type="button" onClick={() => void readOlder()}>
          Read 1,000 older
        </button>
      )}
    </div>
  )
}
