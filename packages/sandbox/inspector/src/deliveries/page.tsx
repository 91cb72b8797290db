import { useRef } from 'preact/hooks'
import { Pane } from '../detail/pane.js'
import { MakePanel } from '../make/panel.js'
import { route } from '../route.js'
import { deliveries } from '../state/deliveries.js'
import { FilterBar } from './filter-bar.js'
import { List } from './list.js'
import { Plots } from './plots.js'

/** The live list, and beside it the delivery that is open. */
export function DeliveriesPage() {
  const scroller = useRef<HTMLElement>(null)
  const { id } = route.value
  return (
    <main class={id ? 'columns with-rail with-pane' : 'columns with-rail'}>
      <h1 class="unseen">Deliveries</h1>
      <MakePanel />
      <section class="list-column" ref={scroller} aria-label="All deliveries">
        {deliveries.value.length > 0 && <Plots />}
        <FilterBar />
        <List scroller={scroller} />
      </section>
      {id && <Pane key={id} id={id} />}
    </main>
  )
}
