import type { AuditRow, Page } from '../../../src/wire.js'
import { digits } from '../digits.js'
import { Older } from '../older.js'
import { hrefOf, route } from '../route.js'
import { Shown, useView } from '../use-view.js'
import { Export } from './export.js'
import { filterOf } from './filter.js'
import { FilterBar } from './filter-bar.js'
import { AuditTable } from './table.js'

/** Who did what, newest first. An operation is one line. The filter is the address. */
export function AuditsPage() {
  const { query } = route.value
  const filter = filterOf(query)
  const path = new URLSearchParams([...filter, ['limit', '100'], ['cursor', query.get('cursor') ?? '']])
  const view = useView<Page<AuditRow>>(`audits?${path}`)
  return (
    <div class="inner stack">
      <div class="bar between">
        <h1>Audits</h1>
        <Export filter={filter} />
      </div>
      <FilterBar query={query} />
      <Shown view={view} what="the audits">
        {({ rows, searched, next }) => (
          <>
            {rows.length > 0 && <AuditTable rows={rows} />}
            {rows.length === 0 && (
              <p class="faint">
                {filter.length === 0
                  ? 'No changes yet.'
                  : `No change matches${next ? ' so far' : '. Remove a condition, or show all'}.`}
              </p>
            )}
            {next && (
              <div class="bar">
                <Older href={hrefOf('audits', undefined, [...filter, ['cursor', next]])} />
                {searched !== undefined && (
                  <p class="faint">Read {digits(searched)} changes, and there are older ones.</p>
                )}
              </div>
            )}
          </>
        )}
      </Shown>
    </div>
  )
}
