import { Outcome } from 'webhook-inbox-ui'
import type { GroupRow, Page } from '../../../src/wire.js'
import { hrefOf, route } from '../route.js'
import { Shown, useView } from '../use-view.js'
import { GroupPane } from './pane.js'
import { FailureTable } from './table.js'
import { groupStates, groupWords } from './words.js'

const orders = [
  ['events', 'Most events'],
  ['seen', 'Last seen'],
] as const

/** What is wrong: failures by their cause, and the open one. */
export function FailuresPage() {
  const { id, query } = route.value
  const state = query.get('state') ?? 'open'
  const cursor = query.get('cursor') ?? ''
  const sort = query.get('sort') === 'seen' ? 'seen' : 'events'
  const asked = new URLSearchParams({
    state: state === 'all' ? '' : state,
    sort: sort === 'seen' ? '' : sort,
    cursor,
  })
  const hrefWith = (...conditions: [name: string, value: string][]) =>
    hrefOf('failures', undefined, new Map([['state', state], ['sort', sort], ...conditions]))
  const view = useView<Page<GroupRow>>(`groups?${asked}`)
  return (
    <div class={id === undefined ? 'columns' : 'columns with-pane'}>
      <section class="list-column" aria-label="All failures">
        <h1>Failures</h1>
        <div class="filters">
          <nav class="chips" aria-label="Filter by state">
            {[...groupStates, 'all' as const].map((each) => (
              <a
                key={each}
                class="button"
                href={hrefWith(['state', each])}
                aria-current={each === state ? 'true' : undefined}
              >
                {each === 'all' ? (
                  'All'
                ) : (
                  <Outcome outcome={groupWords[each][0]}>{groupWords[each][1]}</Outcome>
                )}
              </a>
            ))}
          </nav>
          <nav class="chips" aria-label="Order">
            {orders.map(([name, words]) => (
              <a
                key={name}
                class="button"
                href={hrefWith(['sort', name])}
                aria-current={name === sort ? 'true' : undefined}
              >
                {words}
              </a>
            ))}
          </nav>
        </div>
        <Shown view={view} what="the failures">
          {({ rows, next }) => (
            <>
              {rows.length > 0 ? (
                <FailureTable rows={rows} hasStates={state === 'all'} />
              ) : (
                <Nothing state={state} />
              )}
              {next && (
                <p class="blank">
                  <a class="button" href={hrefWith(['cursor', next])}>
                    More causes
                  </a>
                </p>
              )}
            </>
          )}
        </Shown>
      </section>
      {id !== undefined && (
        <aside class="pane" aria-label="Cause">
          <GroupPane key={id} id={id} />
        </aside>
      )}
    </div>
  )
}

function Nothing({ state }: { readonly state: string }) {
  return <p class="blank faint">{state === 'open' ? 'No open cause.' : 'No cause is in this state.'}</p>
}
