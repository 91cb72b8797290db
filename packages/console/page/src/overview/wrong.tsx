import { Note } from 'webhook-inbox-ui'
import type { GroupRow, Page } from '../../../src/wire.js'
import { digits } from '../digits.js'
import { FailureTable } from '../failures/table.js'
import { hrefOf } from '../route.js'
import { Shown, useView } from '../use-view.js'

const most = 5

/** The open causes: no one has acknowledged or resolved them. `stranded` events wait without a process that runs them. */
export function Wrong({ stranded }: { readonly stranded: number }) {
  const view = useView<Page<GroupRow>>(`groups?state=open&sort=dead&limit=${most}`)
  return (
    <section class="card" aria-label="What is wrong">
      <header>
        <h2>What is wrong</h2>
        <p class="faint">open causes, most dead events first</p>
        <a class="button end" href={hrefOf('failures')}>
          All failures
        </a>
      </header>
      {stranded > 0 && (
        <Note outcome="failed">
          <p>
            No process runs events, and {stranded === 1 ? '1 event waits' : `${digits(stranded)} events wait`}
            . Start the program that runs the handlers.
          </p>
        </Note>
      )}
      <Shown view={view} what="the failures">
        {({ rows, next }) =>
          rows.length > 0 ? (
            <>
              <FailureTable rows={rows} hasStates={false} />
              {next && (
                <p class="inner">
                  <a href={hrefOf('failures')}>More open causes</a>
                </p>
              )}
            </>
          ) : (
            <p class="inner faint">No open cause.</p>
          )
        }
      </Shown>
    </section>
  )
}
