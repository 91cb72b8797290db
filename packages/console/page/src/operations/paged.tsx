import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Page } from '../../../src/wire.js'
import { Shown, useView } from '../use-view.js'

/** A list of what an operation met, one page at a time. `path` ends where its query goes on. */
export function Paged<Row>({
  path,
  what,
  row,
}: {
  readonly path: string
  readonly what: string
  readonly row: (row: Row) => ComponentChildren
}) {
  const [at, setAt] = useState({ path, cursor: '' })
  const cursor = at.path === path ? at.cursor : ''
  const view = useView<Page<Row>>(`${path}${new URLSearchParams({ cursor })}`)
  return (
    <Shown view={view} what={what}>
      {({ rows, next }) => (
        <>
          <ul class="stack tight">
            {rows.map((each, i) => (
              <li key={i}>{row(each)}</li>
            ))}
          </ul>
          {rows.length === 0 && <p class="faint">None any more.</p>}
          {next && (
            <button type="button" onClick={() => setAt({ path, cursor: next })}>
              The next ones
            </button>
          )}
        </>
      )}
    </Shown>
  )
}
