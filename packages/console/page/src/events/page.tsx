import { useRef } from 'preact/hooks'
import { EventPane } from '../event/pane.js'
import { route } from '../route.js'
import { FilterBar } from './filter-bar.js'
import { List } from './list.js'

/** The list of events and the open one. The filter is the address. */
export function EventsPage() {
  const { id } = route.value
  const scroller = useRef<HTMLElement>(null)
  return (
    <div class={id === undefined ? 'columns' : 'columns with-pane'}>
      <section class="list-column" ref={scroller} aria-label="All events">
        <h1>Events</h1>
        <FilterBar />
        <List scroller={scroller} />
      </section>
      {id !== undefined && (
        <aside class="pane" aria-label="Event">
          <EventPane key={id} id={id} />
        </aside>
      )}
    </div>
  )
}
